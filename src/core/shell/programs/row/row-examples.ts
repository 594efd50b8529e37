import { analyzeCommand } from "../../analyze.ts";
import { obeying } from "../../obeyed-files.ts";
import type { ShellAnalysis } from "../../types.ts";
import { projectPath, targetsOf } from "../../write-targets.ts";
import type { Row } from "./row.ts";
import { programOf } from "./run-row.ts";

/** An example that does not hold: its position, and what was found instead. */
export interface BrokenExample {
  readonly list: "match" | "no_match";
  readonly index: number;
  readonly found: string;
  readonly expected: string;
}

const root = "/project";
const arrow = / ->(?: |$)/;

/** The examples of a row that its own facts contradict. The built-in description of the same program is ignored. */
export function brokenExamples(row: Row): readonly BrokenExample[] {
  const names = row.names.split(/\s+/).filter((name) => name !== "");
  const program = programOf(row, row.names);
  const analyze = (command: string) =>
    analyzeCommand(command, {
      cwd: root,
      root,
      home: "/home/user",
      tmpdir: "/tmp",
      programs: (name, builtIn) => (names.includes(name) ? program : builtIn),
    });
  const broken: BrokenExample[] = [];
  for (const list of ["match", "no_match"] as const)
    for (const [index, example] of (row[list] ?? []).entries()) {
      const [command = "", written] = example.split(arrow);
      const analysis = analyze(command);
      const expected = expectation(list, written);
      const found = findings(analysis);
      if (!analysis.programs.some((name) => names.includes(name)))
        broken.push({
          list,
          index,
          found: "another program",
          expected: `a command that runs \`${row.names}\``,
        });
      else if (!holds(list, written, analysis)) broken.push({ list, index, found, expected });
    }
  return broken;
}

function expectation(list: BrokenExample["list"], written: string | undefined): string {
  if (list === "no_match") return "to find nothing";
  return written === undefined ? "to find something" : `to write ${written}`;
}

function holds(list: BrokenExample["list"], written: string | undefined, analysis: ShellAnalysis): boolean {
  if (list === "no_match") return findings(analysis) === "nothing";
  if (written === undefined) return findings(analysis) !== "nothing";
  return sorted(writtenBy(analysis)) === sorted(written.split(/\s+/).filter((path) => path !== ""));
}

const sorted = (paths: readonly string[]): string => [...new Set(paths)].sort().join(" ");

function writtenBy({ writes }: ShellAnalysis): string[] {
  const place = { root };
  return writes.flatMap((write) =>
    targetsOf(write, place).map((target) => {
      if (target.kind === "nowhere") return "";
      if (target.kind === "unresolved") return "?";
      return projectPath("path" in target ? target.path : target.pattern, place);
    }),
  );
}

function findings(analysis: ShellAnalysis): string {
  const parts = [
    ...[...new Set(writtenBy(analysis))].map((path) => `writes ${path}`),
    ...analysis.refusals.map(({ why }) => `refused: ${why}`),
    ...analysis.opaque
      .filter(({ why }) => why !== obeying) // no row declares this
      .map(({ by, why }) => `opaque: ${by}: ${why}`),
    ...analysis.mentions.map(({ text }) => `names ${text}`),
  ];
  return parts.length === 0 ? "nothing" : parts.join("; ");
}
