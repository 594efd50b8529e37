import { isPattern } from "../../paths/segment-pattern.ts";
import { quoted } from "../../text/quoted.ts";

/** The parts of a task that show its size. */
export interface LeanTask {
  readonly id: string;
  readonly lock_scope: readonly string[];
  readonly files_expected: readonly string[];
  readonly risk_flags: readonly string[];
}

const filesMax = 3;
const risks = ["security", "breaking-change"];

/** Why a plan is too large for lean mode, judged by the plan alone. */
export function leanObjections(tasks: readonly LeanTask[]): readonly string[] {
  const many = tasks.length > 1 ? [`tasks.yaml has ${tasks.length} tasks instead of one`] : [];
  return [...many, ...tasks.flatMap(objectionsTo)];
}

function objectionsTo({ id, lock_scope, files_expected, risk_flags }: LeanTask): string[] {
  const folder = lock_scope.find((entry) => !isOneFile(entry));
  const files = Math.max(lock_scope.length, files_expected.length);
  const risk = risk_flags.find((flag) => risks.includes(flag));
  return [
    ...(folder === undefined ? [] : [`${id} may write ${quoted(folder)}, which is more than one file`]),
    ...(files > filesMax ? [`${id} has ${files} files; lean mode allows at most ${filesMax}`] : []),
    ...(risk === undefined ? [] : [`${id} has the risk ${quoted(risk)}`]),
  ];
}

/** Names of files without an extension. */
const plainNames = /^(?:[A-Z][A-Z_-]+|[A-Z][a-z]+file|CODEOWNERS)$/;

/** Judged by its name: a file has an extension, begins with a dot, or has a name such as Makefile or LICENSE. */
function isOneFile(entry: string): boolean {
  if (isPattern(entry) || /\/$|\{/.test(entry)) return false;
  const name = entry.split("/").at(-1) ?? "";
  return /^\.?[^.]+\.[^.]|^\.[^.]/.test(name) || plainNames.test(name);
}
