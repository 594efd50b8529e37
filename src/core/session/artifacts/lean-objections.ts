import { isPattern } from "../../paths/segment-pattern.ts";
import { quoted } from "../../text/quoted.ts";

/** As much of a task as says how large it is. */
export interface LeanTask {
  readonly id: string;
  readonly lock_scope: readonly string[];
  readonly files_expected: readonly string[];
  readonly risk_flags: readonly string[];
}

const filesMax = 3;
const risks = ["security", "breaking-change"];

/** Why a plan is not small enough for the short way, as far as a plan can tell. */
export function leanObjections(tasks: readonly LeanTask[]): readonly string[] {
  const many = tasks.length > 1 ? [`tasks.yaml has ${tasks.length} tasks and not one`] : [];
  return [...many, ...tasks.flatMap(objectionsTo)];
}

function objectionsTo({ id, lock_scope, files_expected, risk_flags }: LeanTask): string[] {
  const folder = lock_scope.find((entry) => !isOneFile(entry));
  const files = Math.max(lock_scope.length, files_expected.length);
  const risk = risk_flags.find((flag) => risks.includes(flag));
  return [
    ...(folder === undefined ? [] : [`${id} may write ${quoted(folder)}, which is more than one file`]),
    ...(files > filesMax ? [`${id} is about ${files} files, and more than ${filesMax} are many`] : []),
    ...(risk === undefined ? [] : [`${id} has the risk ${quoted(risk)}`]),
  ];
}

/** Files without an ending that are no folders. */
const plainNames = /^(?:[A-Z][A-Z_-]+|[A-Z][a-z]+file|CODEOWNERS)$/;

/** By its name alone: files have an ending, or begin with a dot, or are called such as Makefile or LICENSE. */
function isOneFile(entry: string): boolean {
  if (isPattern(entry) || /\/$|\{/.test(entry)) return false;
  const name = entry.split("/").at(-1) ?? "";
  return /^\.?[^.]+\.[^.]|^\.[^.]/.test(name) || plainNames.test(name);
}
