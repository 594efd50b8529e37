import type { z } from "zod";
import { nearestName } from "../../core/names/nearest-name.ts";
import { quoted } from "../../core/text/quoted.ts";
import { type ConfigDocument, type Path, pathText, type Spot } from "./config-document.ts";
import type { ConfigFault } from "./config-fault.ts";

const issuesMax = 100;

export type Issue = z.core.$ZodIssue;

interface Finding {
  readonly path: Path;
  readonly offset: number;
  readonly problem: string;
  readonly expected: string;
  readonly suggestion: string | undefined;
  readonly missing: boolean;
}

/** What a schema found wrong with a document. */
export function faultsOfIssues(document: ConfigDocument, issues: readonly Issue[]): readonly ConfigFault[] {
  const findings = firstOf(document, issues).flatMap((issue) => findingsOf(document, issue));
  return findings
    .filter((one) => !findings.some((other) => isMistyped(one, other)))
    .map(({ path, offset, problem, expected, suggestion }) => ({
      file: document.file,
      ...document.lineAndColumn(offset),
      path: pathText(path),
      problem,
      expected,
      ...(suggestion === undefined ? {} : { suggestion }),
    }));
}

/** The first issues of the file. The rest is skipped, because a long list is not read and each issue costs time. */
function firstOf(document: ConfigDocument, issues: readonly Issue[]): readonly Issue[] {
  if (issues.length <= issuesMax) return issues;
  const placed = issues.map((issue) => ({ issue, offset: spotAt(document.root, issue.path as Path).value }));
  placed.sort((one, other) => one.offset - other.offset);
  return placed.slice(0, issuesMax).map(({ issue }) => issue);
}

/** The message of an issue for which the schema has none: what was expected. */
export function expectedText(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_value") return oneOf(issue.values.map(String));
  if (issue.code === "unrecognized_keys") {
    const { shape } = (issue.inst as z.ZodObject | undefined)?.def ?? {};
    return oneOf(Object.keys(shape ?? {}));
  }
  if (issue.code !== "invalid_type") return undefined;
  if (issue.expected === "boolean") return oneOf(["true", "false"]);
  const kind = issue.expected === "array" ? "a list" : "a map";
  return issue.input === null ? `${kind}, or the key left out` : kind;
}

function oneOf(words: readonly string[]): string {
  const [first, ...more] = words.map((word) => `\`${word}\``);
  return more.length === 0 ? `${first}` : `one of ${first}, ${more.join(", ")}`;
}

function findingsOf(document: ConfigDocument, issue: Issue): Finding[] {
  const { path } = issue as { path: Path };
  if (issue.code === "unrecognized_keys")
    return issue.keys
      .slice(0, issuesMax)
      .map((key) => keyFinding(document, [...path, key], "is not a known key", issue.message));
  if (issue.code === "invalid_key")
    return [keyFinding(document, path, "is not a valid name", issue.issues[0]?.message ?? issue.message)];
  if (issue.code === "invalid_union") {
    const meant = issue.errors.find((branch) => branch.every((inner) => inner.path.length > 0));
    if (meant !== undefined)
      return meant.flatMap((inner) =>
        findingsOf(document, { ...inner, path: [...issue.path, ...inner.path] }),
      );
  }
  return [valueFinding(document, issue)];
}

function keyFinding(document: ConfigDocument, path: Path, problem: string, expected: string): Finding {
  const spot = spotAt(document.root, path);
  return {
    path,
    offset: spot.key ?? spot.value,
    problem: `${quoted(pathText(path))} ${problem}`,
    expected,
    suggestion: nearestName(String(path.at(-1)), wordsOf(expected)),
    missing: false,
  };
}

function valueFinding(document: ConfigDocument, issue: Issue): Finding {
  const { path, message } = issue as { path: Path; message: string };
  const spot = spotAt(document.root, path);
  const written = valueAt(document.value, path);
  const meant = (issue.code === "custom" ? issue.params?.value : undefined) ?? written;
  // The message may show only some of the known names. The suggestion considers all of them.
  const names = (issue.code === "custom" ? issue.params?.names : undefined) ?? wordsOf(message);
  const byDefault = written === undefined && meant !== undefined ? "by default " : "";
  return {
    path,
    offset: written === undefined || written === null ? (spot.key ?? spot.value) : spot.value,
    problem: `${path.length === 0 ? "the file" : quoted(pathText(path))} is ${byDefault}${shown(meant)}`,
    expected: adviceFor(meant, { message, key: path.at(-1) }),
    suggestion: typeof meant === "string" ? nearestName(meant, names) : undefined,
    missing: meant === undefined,
  };
}

/** Advice for a value that is in the file. */
const quoting = ": put quotes around it";

function adviceFor(
  value: unknown,
  { message, key }: { readonly message: string; readonly key: string | number | undefined },
): string {
  if (value === undefined) return message.replace(quoting, `: write \`${key}: …\``);
  return typeof value === "string" ? message.replace(quoting, "") : message;
}

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "empty";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return Object.keys(value).length === 0 ? "an empty map" : "a map";
  return String(value).trim() === "" ? "blank" : quoted(String(value), 60);
}

/** The words in backticks, which are the valid values. */
function wordsOf(expected: string): readonly string[] {
  return [...expected.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);
}

/** True if the missing key is in the file under a misspelled name, which has its own finding. */
function isMistyped(missing: Finding, other: Finding): boolean {
  if (!missing.missing || other.suggestion !== missing.path.at(-1)) return false;
  return pathText(other.path.slice(0, -1)) === pathText(missing.path.slice(0, -1));
}

/** The spot of a path, or of its nearest parent that is in the file. */
export function spotAt(root: Spot, path: Path): Spot {
  let spot = root;
  for (const step of path) {
    const next = spot.children.get(step);
    if (next === undefined) return spot;
    spot = next;
  }
  return spot;
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at;
}
