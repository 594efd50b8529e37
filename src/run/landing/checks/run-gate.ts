import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../../contract/config.ts";
import type { CheckRun } from "../../../core/proof/check-record.ts";
import { isSameFailure } from "../../../core/proof/same-failure.ts";
import { type Deny, deny } from "../../../core/rules/verdict.ts";
import { readConventions } from "../../../proof/gate/conventions/read-conventions.ts";
import { checkConventions } from "../../../proof/gate/conventions.ts";
import { checkCrossReferences } from "../../../proof/gate/cross-reference.ts";
import { checkFileConflicts } from "../../../proof/gate/file-conflicts.ts";
import {
  type GateCheck,
  type GateResult,
  gateResult,
  notConfigured,
} from "../../../proof/gate/gate-result.ts";
import { changesImports, checkImports } from "../../../proof/gate/imports.ts";
import type { ChangedFile, Merge } from "../../../proof/gate/source-tree.ts";
import { checkSyntax } from "../../../proof/gate/syntax.ts";
import type { Prover } from "../../../proof/prover.ts";
import type { ChangedPath } from "../../../workspace/git/read-diff.ts";
import { type CommitTree, readTrees } from "../../../workspace/git/read-tree.ts";
import { printed } from "./prove-checks.ts";
import { settledRun, tryCheck } from "./try-check.ts";

/** One task of the batch, and what it changed. */
interface GateMember {
  readonly task: string;
  readonly diff: readonly ChangedPath[];
}

export interface GateInput {
  readonly root: string;
  readonly base: string;
  readonly result: string;
  readonly members: readonly GateMember[];
  readonly gate: Config["gate"];
  readonly prover: Prover;
  /** Whether the project's checks ran on the result. They passed, because the gate runs after them. */
  readonly tested: boolean;
  /** Checks that fail the same way as on the base are tolerated and reported. */
  readonly allowRed?: boolean;
  /** Commands that may fail once if their second run passes. */
  readonly flaky?: readonly string[];
  onProgress(line: string, state?: "running"): void;
}

const conventionsFile = ".lockstep/systemPatterns.md";

/** The conventions file on the base cannot be read. No branch is the cause, and none can be judged. */
class GateConfigFault extends Error {
  override readonly name = "GateConfigFault";
  readonly code = "E-CONFIG";
}

/**
 * Runs the gate's checks on a merged tree. Each passes, fails, or reports that it is not configured. Throws a
 * `GateConfigFault` if the base's conventions cannot be read.
 */
export async function runGate(input: GateInput): Promise<readonly GateResult[]> {
  const merge = await readMerge(input);
  const builtin: Readonly<Record<Exclude<GateCheck, "file_conflict">, () => Promise<GateResult>>> = {
    tests: async () =>
      input.tested
        ? gateResult(
            "tests",
            [],
            [`the project's own checks passed${input.allowRed ? ", or failed as before" : ""}`],
          )
        : notConfigured("tests", "no test command was found or configured"),
    syntax: () => checkSyntax(merge),
    imports: () => imports(input, merge),
    conventions: async () => conventions(merge),
    cross_reference: () => checkCrossReferences(merge),
  };
  const results: GateResult[] = [
    checkFileConflicts(
      input.members.map(({ task, diff }) => ({ task, paths: diff.map(({ path }) => path) })),
    ),
  ];
  for (const check of Object.keys(builtin) as (keyof typeof builtin)[]) {
    const set = input.gate[check];
    if (set === "off") results.push(notConfigured(check, "switched off in the configuration"));
    else if (set === "auto") results.push(await builtin[check]());
    else results.push(await byCommand(input, check, set.command));
  }
  return results.map((result) => namingTheOnly(input.members, result));
}

/** Packages count as installed if the setup of the merged tree installs them. */
async function imports({ prover, result }: GateInput, merge: Merge): Promise<GateResult> {
  // A setup can take minutes.
  if (!changesImports(merge)) return checkImports(merge, { hasPackage: () => false });
  const checked = await prover.inTree(result, (folder) =>
    checkImports(merge, { hasPackage: (name) => existsSync(join(folder, "node_modules", name)) }),
  );
  return "error" in checked ? gateResult("imports", [{ path: ".", message: checked.error }]) : checked;
}

/** If the batch has one task, every finding belongs to it. */
function namingTheOnly([only, ...others]: readonly GateMember[], result: GateResult): GateResult {
  if (only === undefined || others.length > 0) return result;
  return { ...result, findings: result.findings.map((finding) => ({ tasks: [only.task], ...finding })) };
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
    ...(first.output === undefined ? {} : { command: `gate, ${first.check}`, output: first.output }),
    ...(first.log === undefined ? {} : { log: first.log }),
  });
}

/** The gate's checks that are commands, as lines for the shell. */
export function gateCommands(gate: Config["gate"]): readonly string[] {
  return Object.values(gate).flatMap((set) => (typeof set === "string" ? [] : [shellLine(set.command)]));
}

function shellLine(command: readonly string[]): string {
  return command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
}

async function byCommand(
  { prover, base, result, onProgress, allowRed = false, flaky = [] }: GateInput,
  check: GateCheck,
  command: readonly string[],
): Promise<GateResult> {
  const line = shellLine(command);
  const name = command.join(" ");
  onProgress(`gate, ${check}: ${name}`, "running");
  const tried = await tryCheck(prover, { commit: result, command: line, onProgress });
  if ("error" in tried) return gateResult(check, [{ path: ".", message: tried.error }]);
  const run = settledRun(tried);
  if (run.earlier !== undefined && ![name, line].some((one) => flaky.includes(one)))
    return failed(check, run.earlier, `\`${name}\` failed and passed on the same tree: ${advice}`);
  if (run.exit === 0) return gateResult(check, [], [`\`${name}\` passed`]);
  const before = allowRed ? await tryCheck(prover, { commit: base, command: line, onProgress }) : undefined;
  if (before !== undefined && "first" in before && isSameFailure(settledRun(before), run))
    return gateResult(check, [], [`\`${name}\` fails the same way as on the base`]);
  const [last = ""] = run.tail.trim().split("\n").slice(-1);
  return failed(check, run, `\`${name}\` ended with ${run.exit}: ${last}`);
}

const advice = "make it reliable, or list it under `checks.flaky`";

function failed(check: GateCheck, run: Omit<CheckRun, "earlier">, message: string): GateResult {
  return { ...gateResult(check, [{ path: ".", message }]), ...printed(run) };
}

async function readMerge({ root, base, result, members }: GateInput): Promise<Merge> {
  const [before, after] = (await readTrees(root, [base, result])) as [CommitTree, CommitTree];
  const changed = changedFiles(before, after, members);
  const paths = changed.map(({ path }) => path);
  await Promise.all([before.fetch([...paths, conventionsFile]), after.fetch(paths)]);
  return { base: before, result: after, changed };
}

/** The files that the merge changed. They can differ from a task's diff, because git follows renames on the base. */
function changedFiles(base: CommitTree, result: CommitTree, members: readonly GateMember[]): ChangedFile[] {
  const tasks = new Map<string, string[]>();
  for (const { task, diff } of members)
    for (const { path } of diff) tasks.set(path, [...(tasks.get(path) ?? []), task]);
  const changed = base.paths().filter((path) => base.idOf(path) !== result.idOf(path));
  const added = result.paths().filter((path) => base.idOf(path) === undefined);
  return [...changed, ...added].flatMap((path): ChangedFile[] => {
    const [before, after] = [base.idOf(path), result.idOf(path)];
    const status = before === undefined ? "added" : after === undefined ? "deleted" : "modified";
    const known = tasks.get(path);
    return known === undefined ? [{ path, status }] : known.map((task) => ({ path, status, task }));
  });
}

/** Throws if the base's conventions cannot be read. Called before any check runs. */
export async function needConventions(root: string, base: string): Promise<void> {
  const [tree] = await readTrees(root, [base]);
  readRules(tree?.text(conventionsFile));
}

/** The base's rules apply, so that a branch cannot change the rules that it is judged by. */
function conventions(merge: Merge): GateResult {
  return checkConventions(readRules(merge.base.text(conventionsFile)), merge);
}

function readRules(text: string | undefined) {
  const read = readConventions(text ?? "");
  if ("rules" in read) return read.rules;
  throw new GateConfigFault(
    read.faults.map(({ line, message }) => `${conventionsFile}:${line}: ${message}`).join("\n"),
  );
}
