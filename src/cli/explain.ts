import type { Disk, Place } from "../core/paths/place.ts";
import { readEntries, Scope } from "../core/paths/scope.ts";
import { type Deny, deny } from "../core/rules/verdict.ts";
import { analyzeCommand } from "../core/shell/analyze.ts";
import { judgeCommand, type Objection } from "../core/shell/judge-command.ts";
import { knownParts } from "../core/shell/text.ts";
import type { ShellAnalysis } from "../core/shell/types.ts";
import { projectPath, targetsOf } from "../core/shell/write-targets.ts";
import { nodeDisk } from "../workspace/disk.ts";
import { currentFolder, findProject } from "../workspace/find-project.ts";
import { systemTemporaryFolders } from "../workspace/temporary-folders.ts";
import { writeIfOpen } from "./descriptor.ts";
import { scopeFromHere } from "./scope-from-here.ts";
import { style } from "./style.ts";
import { printable } from "./table.ts";

interface ExplainOptions {
  readonly scope?: readonly string[];
  readonly others?: readonly string[];
  readonly task?: string;
  readonly json?: boolean;
}

interface Limits {
  readonly lock: Scope;
  readonly others: Scope;
  readonly forbidden: Scope;
  readonly session?: string | undefined;
}

/** `lockstep explain`: what the guard thinks of a command, and why. */
export async function explainCommand(line: string, options: ExplainOptions): Promise<0 | 2> {
  const cwd = currentFolder();
  const { place } = findProject(cwd);
  const disk = nodeDisk();
  const limits = await readLimits(options, place, disk);
  if (limits !== undefined && "allow" in limits) {
    writeIfOpen(2, `lockstep: ${limits.code}: ${limits.reason}\n`);
    return 2;
  }
  const analysis = analyze(line, { cwd, place, disk });
  const objections =
    limits === undefined
      ? undefined
      : judgeCommand(analysis, {
          ...limits,
          place: { ...place, cwd },
          disk,
          scratch: systemTemporaryFolders(),
        });
  writeIfOpen(
    1,
    options.json ? asJson(line, analysis, { objections, place }) : asText(analysis, { objections, place }),
  );
  return objections !== undefined && objections.length > 0 ? 2 : 0;
}

function analyze(
  line: string,
  { cwd, place, disk }: { cwd: string; place: Place; disk: Disk },
): ShellAnalysis {
  const [tmp] = systemTemporaryFolders();
  return analyzeCommand(line, {
    cwd,
    root: place.root,
    ...(place.home === undefined ? {} : { home: place.home }),
    ...(tmp === undefined ? {} : { tmp }),
    environment: new Set(Object.keys(process.env)),
    disk,
  });
}

/** Whose lock it is judged by: a task's in the ledger, the one that is spelled out, or nobody's. */
async function readLimits(
  options: ExplainOptions,
  place: Place,
  disk: Disk,
): Promise<Limits | Deny | undefined> {
  if (options.task !== undefined) {
    if (options.scope !== undefined || options.others !== undefined)
      return deny("R-IN-001", "give `--task`, or `--scope` and `--others`, not both");
    return (await import("./task-limits.ts")).taskLimits(options.task);
  }
  if (options.scope === undefined) return undefined;
  const lock = readScope(options.scope, place, disk);
  const others = readScope(options.others, place, disk);
  for (const result of [lock, others]) if (typeof result === "string") return deny("R-PD-002", result);
  return { lock: lock as Scope, others: others as Scope, forbidden: new Scope([], place) };
}

function readScope(texts: readonly string[] | undefined, place: Place, disk: Disk): Scope | string {
  const result = readEntries(scopeFromHere(texts ?? []), place, disk);
  return "error" in result
    ? `\`${texts?.[result.index]}\` is no scope: ${result.error}`
    : new Scope(result.entries, place);
}

interface Explained {
  readonly objections: readonly Objection[] | undefined;
  readonly place: Place;
}

function writesOf(analysis: ShellAnalysis, place: Place) {
  return analysis.writes.flatMap((write) =>
    targetsOf(write, place).map((target) => ({
      action: write.action,
      by: write.by,
      target:
        target.kind === "nowhere" || target.kind === "unresolved"
          ? null
          : projectPath("path" in target ? target.path : target.pattern, place),
      spelled: knownParts(write.target, "…"),
      ...(write.tree ? { tree: true } : {}),
    })),
  );
}

function asJson(command: string, analysis: ShellAnalysis, { objections, place }: Explained): string {
  const document = {
    command,
    programs: analysis.programs,
    writes: writesOf(analysis, place),
    refused: analysis.refusals,
    opaque: analysis.opaque,
    ...(objections === undefined ? {} : { allow: objections.length === 0, objections }),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function asText(analysis: ShellAnalysis, { objections, place }: Explained): string {
  const rows: [string, string][] = [["runs", analysis.programs.join(", ") || "nothing"]];
  for (const write of writesOf(analysis, place)) {
    const where = write.target ?? `${write.spelled} (cannot be known before it runs)`;
    const deep = write.tree === true ? " and all below" : "";
    rows.push([verbs[write.action], `${printable(where)}${deep}  ${style.dim(`by ${printable(write.by)}`)}`]);
  }
  if (analysis.writes.length === 0) rows.push(["writes", "nothing that can be seen"]);
  for (const { by, why } of analysis.opaque) rows.push(["opaque", `${by}: ${why}`]);
  for (const { why } of analysis.refusals)
    rows.push(["refused", `${why} ${style.dim("(to every agent with a task)")}`]);
  if (objections !== undefined) rows.push(...verdictRows(objections));
  return rows.map(([name, text]) => `${style.bold(name.padEnd(8))}  ${text}\n`).join("");
}

const verbs = {
  write: "writes",
  delete: "deletes",
  move: "moves",
  attributes: "alters",
  link: "links",
  folder: "makes",
} as const;

function verdictRows(objections: readonly Objection[]): [string, string][] {
  if (objections.length === 0) return [["verdict", style.green("allowed")]];
  return objections.map(({ code, reason }, index) => [
    index === 0 ? "verdict" : "",
    `${style.red(code)}  ${reason}`,
  ]);
}
