import { type InventoryRecord, isOutcome } from "./inventory.ts";

interface Run {
  readonly runner: string;
  readonly at: number;
  /** The file that it runs, if it is a single one. */
  readonly file: string;
  /** The lines after the first. */
  readonly lines: unknown[][];
}

/**
 * Reads the output of reporters, one text per process. A line is a JSON array: `begin` runner time file, `test` file
 * names outcome again, `announce` count, `cut` why, `end`; or, from any process, `elsewhere` name file. `pathOf`
 * returns the path of a file relative to the checkout's root.
 */
export function readReports(
  reports: readonly string[],
  pathOf: (file: string) => string,
  record: InventoryRecord,
): void {
  for (const [, name, file] of reports.flatMap(elsewhereIn))
    record.loadedElsewhere(String(name), String(file));
  const runs = reports.flatMap(runsIn).toSorted((one, other) => one.at - other.at);
  const tests = runs.flatMap(({ lines }) => lines.filter(([kind]) => kind === "test"));
  const filled = new Set(tests.filter(([, , names]) => isFilled(names)).map(([, file]) => String(file)));
  // A process that defines tests and runs none of them, because a filter excludes them all.
  const filtered = new Set(
    runs.filter(({ file, lines }) => file !== "" && hasRunNone(lines)).map(({ file }) => file),
  );
  // `node --test` reports a file as a test if it has received no tests from it, or not in time.
  const isDoubled = ([, file, names, outcome]: readonly unknown[]) =>
    !isFilled(names) && outcome === "pass" && (filled.has(String(file)) || filtered.has(String(file)));
  for (const run of runs)
    readRun({ ...run, lines: run.lines.filter((line) => !isDoubled(line)) }, pathOf, record);
}

function elsewhereIn(report: string): readonly unknown[][] {
  if (!report.startsWith('["elsewhere"')) return [];
  return report.split("\n").flatMap((line) => {
    const words = parseLine(line);
    return words === undefined ? [] : [words];
  });
}

function hasRunNone(lines: readonly unknown[][]): boolean {
  return lines.some(([kind]) => kind === "end") && !lines.some(([kind]) => kind === "test");
}

function isFilled(names: unknown): boolean {
  return Array.isArray(names) && names.length > 0;
}

function runsIn(report: string): readonly Run[] {
  const runs: Run[] = [];
  for (const line of report.split("\n")) {
    const words = parseLine(line);
    if (words === undefined) continue;
    const [kind, runner, at, file] = words;
    if (kind === "begin")
      runs.push({ runner: String(runner), at: Number(at) || 0, file: String(file ?? ""), lines: [] });
    else runs.at(-1)?.lines.push(words);
  }
  return runs;
}

/** Undefined for an incomplete line: the process may have been killed while writing it. */
function parseLine(line: string): unknown[] | undefined {
  try {
    const words: unknown = JSON.parse(line);
    return Array.isArray(words) ? words : undefined;
  } catch {
    return undefined;
  }
}

function readRun(
  { runner, file, lines }: Run,
  pathOf: (file: string) => string,
  record: InventoryRecord,
): void {
  record.began(runner);
  const known = new Map<string, string>();
  let [announced, reported, hasEnded] = [0, 0, false];
  for (const [kind, ...words] of lines) {
    if (kind === "end") hasEnded = true;
    if (kind === "cut") record.cut(`${runner}: ${String(words[0])}`);
    if (kind === "announce") announced = Math.max(announced, Number(words[0]) || 0);
    if (kind !== "test") continue;
    const [path, names, outcome, again] = words;
    if (!Array.isArray(names) || !isOutcome(outcome)) continue;
    const all = [pathOf(String(path)), ...names.map(String)];
    const key = JSON.stringify(all);
    const before = again === true ? known.get(key) : undefined;
    if (before !== undefined) record.replace(before, outcome);
    else {
      reported += 1;
      known.set(key, record.add(all, outcome));
    }
  }
  const began = ["began", ...(file === "" ? [] : [pathOf(file)])].join(" ");
  if (!hasEnded) record.cut(`${runner} ${began} and did not finish`);
  else if (announced > reported)
    record.cut(`${runner} announced ${announced} tests and reported ${reported}`);
}
