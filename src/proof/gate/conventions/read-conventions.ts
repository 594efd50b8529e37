import { readEntry } from "../../../core/paths/entry.ts";
import { Scope } from "../../../core/paths/scope.ts";
import { quoted } from "../../../core/text/quoted.ts";
import { withDeadline } from "../reading/with-deadline.ts";
import { safePattern } from "./safe-pattern.ts";

/** `rule`: no line may match; `require`: some line must; `name`: the file's name must. */
export interface ConventionRule {
  readonly id: string;
  readonly line: number;
  readonly kind: "rule" | "require" | "name";
  readonly scope: Scope;
  readonly pattern: RegExp;
  readonly message: string;
}

interface ConventionFault {
  readonly line: number;
  readonly message: string;
}

export type ConventionsResult =
  | { readonly rules: readonly ConventionRule[] }
  | { readonly faults: readonly ConventionFault[] };

const rulesMax = 200;
const exampleMs = 1000;
const place = { root: "/project" };

const form = {
  rule: "write rule: `regex` in `glob`: message",
  require: "write require: `regex` in `glob`: message",
  name: "write name: `glob` must match `regex`",
} as const;

const bullet = /^\s*(?:[-*+]\s+|\d+[.)]\s+)?/;
const ruleLine = /^(?:([A-Za-z][\w.-]*):\s+)?(rule|require|name):\s*(.*)$/;
const exampleLine = /^example (ok|bad):\s?(.*)$/;

/**
 * Reads the rules in a systemPatterns.md: lines of a fixed form between other text. A line that begins like a rule but
 * is not valid, and a rule that contradicts its examples, are faults, so that no rule is silently ignored.
 */
export function readConventions(text: string): ConventionsResult {
  const rules: ConventionRule[] = [];
  const faults: ConventionFault[] = [];
  let last: ConventionRule | "faulty" | undefined;
  for (const [index, whole] of text.split(/\r\n|\n|\r/).entries()) {
    const line = index + 1;
    const content = whole.replace(bullet, "").trimEnd();
    const example = exampleLine.exec(content);
    if (example !== null) {
      const message = whyWrongExample(last, example[1] === "ok", example[2] ?? "");
      if (message !== undefined) faults.push({ line, message });
      continue;
    }
    const found = ruleLine.exec(content);
    if (found === null || isProse(found)) continue;
    const result = readRule(found, line);
    last = "error" in result ? "faulty" : result.rule;
    if ("error" in result) faults.push({ line, message: result.error });
    else if (rules.some(({ id }) => id === result.rule.id))
      faults.push({ line, message: `there are two rules ${quoted(result.rule.id)}: name them differently` });
    else rules.push(result.rule);
  }
  if (rules.length > rulesMax) faults.push({ line: 1, message: `there are more than ${rulesMax} rules` });
  return faults.length > 0 ? { faults } : { rules };
}

/** `name: …` is also common in prose and front matter. */
function isProse([, , kind, rest = ""]: RegExpExecArray): boolean {
  return kind === "name" && !rest.startsWith("`");
}

function readRule(
  [, id, kind, rest = ""]: RegExpExecArray,
  line: number,
): { readonly rule: ConventionRule } | { readonly error: string } {
  const parts = partsOf(kind as ConventionRule["kind"], rest);
  if (parts === undefined)
    return { error: `the rule cannot be read: ${form[kind as ConventionRule["kind"]]}` };
  const entry = readEntry(parts.glob, place);
  if ("error" in entry) return { error: `glob ${quoted(parts.glob)} cannot be read: ${entry.error}` };
  const result = safePattern(parts.regex);
  if ("error" in result) return { error: `regex ${quoted(parts.regex)} cannot be used: ${result.error}` };
  return {
    rule: {
      id: id ?? `systemPatterns.md:${line}`,
      line,
      kind: kind as ConventionRule["kind"],
      scope: new Scope([entry.entry], place),
      pattern: result.pattern,
      message: parts.message,
    },
  };
}

interface Parts {
  readonly glob: string;
  readonly regex: string;
  readonly message: string;
}

function partsOf(kind: ConventionRule["kind"], rest: string): Parts | undefined {
  if (kind === "name") {
    const [, glob, regex, message] = /^`([^`]+)` must match `([^`]+)`(?:: (\S.*)|\.)?$/.exec(rest) ?? [];
    if (glob === undefined || regex === undefined) return undefined;
    return { glob, regex, message: message ?? `the name must match \`${regex}\`` };
  }
  const [, regex, glob, message] = /^`([^`]+)` in `([^`]+)`: (\S.*)$/.exec(rest) ?? [];
  return regex === undefined || glob === undefined || message === undefined
    ? undefined
    : { glob, regex, message };
}

function whyWrongExample(
  rule: ConventionRule | "faulty" | undefined,
  ok: boolean,
  written: string,
): string | undefined {
  if (rule === undefined)
    return "this example comes before any rule: put it below the rule that it belongs to";
  if (rule === "faulty") return undefined;
  const text = /^`(.*)`$/.exec(written.trim())?.[1] ?? written.trim();
  const shown = `${quoted(text)} is called ${ok ? "ok" : "bad"}`;
  if (rule.kind === "name" && text.includes("/") && rule.scope.entryOf(text) === undefined)
    return `rule ${quoted(rule.id)} contradicts its example: ${shown}, but the glob does not match it`;
  const done = withDeadline(exampleMs, () => rule.pattern.test(rule.kind === "name" ? nameOf(text) : text));
  if (done === undefined)
    return `rule ${quoted(rule.id)} takes too long on its example: write a simpler regex`;
  const refused = done.value === (rule.kind === "rule");
  if (refused !== ok) return undefined;
  return `rule ${quoted(rule.id)} contradicts its example: ${shown}, but the rule ${done.value ? "matches" : "does not match"}`;
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
