import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../contract/config.ts";
import { type Deny, deny } from "../core/rules/verdict.ts";
import { readConventions } from "../proof/gate/conventions/read-conventions.ts";
import { checkConventions } from "../proof/gate/conventions.ts";
import { checkCrossReferences } from "../proof/gate/cross-reference.ts";
import { checkFileConflicts } from "../proof/gate/file-conflicts.ts";
import { type GateCheck, type GateResult, gateResult, notConfigured } from "../proof/gate/gate-result.ts";
import { checkImports } from "../proof/gate/imports.ts";
import type { ChangedFile, Merge, SourceTree } from "../proof/gate/source-tree.ts";
import { checkSyntax } from "../proof/gate/syntax.ts";
import type { Prover } from "../proof/prover.ts";
import type { ChangedPath } from "../workspace/git/read-diff.ts";
import { readTree } from "../workspace/git/read-tree.ts";

export interface GateInput {
  readonly root: string;
  readonly base: string;
  readonly result: string;
  readonly diff: readonly ChangedPath[];
  readonly branch: string;
  readonly gate: Config["gate"];
  readonly prover: Prover;
  /** Whether the project's own tests were run on the result: they passed, or nobody would ask the gate. */
  readonly tested: boolean;
  onProgress(line: string): void;
}

const conventionsFile = ".lockstep/systemPatterns.md";

/** S1's six checks over a merged tree; each passes, fails, or says that it had nothing to go by. */
export async function runGate(input: GateInput): Promise<readonly GateResult[]> {
  const merge = await readMerge(input);
  const builtin: Readonly<Record<Exclude<GateCheck, "file_conflict">, () => Promise<GateResult>>> = {
    tests: async () =>
      input.tested
        ? gateResult("tests", [], ["the project's own checks passed"])
        : notConfigured("tests", "no test command was found or configured"),
    syntax: () => checkSyntax(merge),
    imports: () =>
      checkImports(merge, {
        hasPackage: (name) => existsSync(join(input.prover.folder, "node_modules", name)),
      }),
    conventions: async () => conventions(merge),
    cross_reference: () => checkCrossReferences(merge),
  };
  const results: GateResult[] = [
    checkFileConflicts([{ task: input.branch, paths: merge.changed.map(({ path }) => path) }]),
  ];
  for (const check of ["tests", "syntax", "imports", "conventions", "cross_reference"] as const) {
    const set = input.gate[check];
    if (set === "off") results.push(notConfigured(check, "switched off in the configuration"));
    else if (set === "auto") results.push(await builtin[check]());
    else results.push(await byCommand(input, check, set.command));
  }
  return results;
}

export function whyGateFails(results: readonly GateResult[]): Deny | undefined {
  const failed = results.filter(({ result }) => result === "fail");
  const [first] = failed;
  if (first === undefined) return undefined;
  const [finding] = first.findings;
  const where =
    finding === undefined
      ? ""
      : ` ${finding.path}${finding.line === undefined ? "" : `:${finding.line}`}: ${finding.message}`;
  const more = failed.flatMap(({ findings }) => findings).length - 1;
  const rest = more > 0 ? ` (and ${more} more)` : "";
  return deny("R-GT-001", `the gate's ${first.check} check fails:${where}${rest}`, {
    failed: failed.map(({ check, route, findings }) => ({ check, route, findings })),
  });
}

async function byCommand(
  { prover, result, onProgress }: GateInput,
  check: GateCheck,
  command: readonly string[],
): Promise<GateResult> {
  const line = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  onProgress(`gate, ${check}: ${command.join(" ")}`);
  const proven = await prover.run(result, line);
  if ("error" in proven) return gateResult(check, [{ path: ".", message: proven.error }]);
  if (proven.run.exit === 0) return gateResult(check, [], [`\`${command.join(" ")}\` passed`]);
  const [last = ""] = proven.run.tail.trim().split("\n").slice(-1);
  return gateResult(check, [
    { path: ".", message: `\`${command.join(" ")}\` ended with ${proven.run.exit}: ${last}` },
  ]);
}

async function readMerge({ root, base, result, diff, branch }: GateInput): Promise<Merge> {
  const changed: ChangedFile[] = diff
    .filter(({ kind, utf8 }) => kind === "file" && utf8)
    .map(({ path, status }) => ({ path, status, task: branch }));
  return { base: treeOf(await readTree(root, base)), result: treeOf(await readTree(root, result)), changed };
}

function treeOf(files: ReadonlyMap<string, string | undefined>): SourceTree {
  const paths = [...files.keys()];
  return { paths: () => paths, text: (path) => files.get(path) };
}

/** The base's rules count: a branch does not write the rules that it is judged by. */
function conventions(merge: Merge): GateResult {
  const read = readConventions(merge.base.text(conventionsFile) ?? "");
  if ("rules" in read) return checkConventions(read.rules, merge);
  return gateResult(
    "conventions",
    read.faults.map(({ line, message }) => ({ path: conventionsFile, line, message })),
  );
}
