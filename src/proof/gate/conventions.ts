import { type ConventionRule, nameOf } from "./conventions/read-conventions.ts";
import { countedNames, type GateFinding, type GateResult, judged, notConfigured } from "./gate-result.ts";
import { withDeadline } from "./reading/with-deadline.ts";
import { changedBy, type Merge, presentPaths, type SourceTree } from "./source-tree.ts";

const lineLengthMax = 10_000;
/** Each rule that takes too long halves the time limit of the following ones. */
const ruleMsMax = 5000;
const ruleMsMin = 100;
const perFileMax = 20;

/** All changes must follow the conventions in systemPatterns.md (S1). Rules about names apply only to new files. */
export function checkConventions(
  rules: readonly ConventionRule[],
  { result, changed }: Omit<Merge, "base">,
): GateResult {
  if (rules.length === 0)
    return notConfigured("conventions", "`.lockstep/systemPatterns.md` is absent or has no rules");
  const paths = presentPaths(changed);
  const added = new Set(changed.filter(({ status }) => status === "added").map(({ path }) => path));
  const texts = new Texts(result);
  const findings: GateFinding[] = [];
  const checkedPaths = new Set<string>();
  let ms = ruleMsMax;
  for (const rule of rules) {
    const concerned = paths.filter(
      (path) => (rule.kind !== "name" || added.has(path)) && rule.scope.entryOf(path) !== undefined,
    );
    const { found, late } = breaches(rule, concerned, texts, ms);
    for (const path of concerned) if (rule.kind === "name" || !texts.unread.has(path)) checkedPaths.add(path);
    findings.push(...found);
    if (late) ms = Math.max(ruleMsMin, ms / 2);
  }
  const sorted = findings
    .map((finding) => ({ ...finding, ...changedBy(changed, finding.path) }))
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : (a.line ?? 0) - (b.line ?? 0)));
  const notes = [
    `${rules.length} rules were checked on ${checkedPaths.size} of ${paths.length} changed files`,
  ];
  const outside = paths.filter((path) => !checkedPaths.has(path) && !texts.unread.has(path));
  if (outside.length > 0) notes.push(`not checked: ${countedNames("file", outside)} (no rule is about them)`);
  if (texts.unread.size > 0)
    notes.push(`not checked: ${countedNames("file", [...texts.unread])} (binary or over 1 MiB)`);
  if (texts.cut.size > 0)
    notes.push(`lines were read up to character ${lineLengthMax}: ${countedNames("file", [...texts.cut])}`);
  return judged("conventions", { findings: sorted, notes, looked: checkedPaths.size > 0 });
}

/** The findings of one rule in these files, within its time limit. */
function breaches(
  rule: ConventionRule,
  paths: readonly string[],
  texts: Texts,
  ms: number,
): { readonly found: readonly GateFinding[]; readonly late: boolean } {
  const found: GateFinding[] = [];
  let at = "";
  const done = withDeadline(ms, () => {
    for (const path of paths) {
      at = path;
      found.push(...breachesIn(rule, path, texts));
    }
  });
  if (done !== undefined) return { found, late: false };
  const message = `rule \`${rule.id}\` takes too long on this file: write a simpler regex`;
  return { found: [...found, { path: at, rule: rule.id, message }], late: true };
}

function breachesIn(
  { id, kind, pattern, message }: ConventionRule,
  path: string,
  texts: Texts,
): GateFinding[] {
  const finding = { path, rule: id, message };
  if (kind === "name") return pattern.test(nameOf(path)) ? [] : [finding];
  const lines = texts.lines(path);
  if (lines === undefined) return [];
  if (kind === "require") return lines.some((line) => pattern.test(line)) ? [] : [finding];
  const found: GateFinding[] = [];
  for (const [index, line] of lines.entries()) {
    if (!pattern.test(line)) continue;
    found.push({ ...finding, line: index + 1 });
    if (found.length === perFileMax) break;
  }
  return found;
}

/** The lines of files, each read once for all rules. */
class Texts {
  readonly #tree: SourceTree;
  readonly #lines = new Map<string, readonly string[] | undefined>();
  readonly unread = new Set<string>();
  readonly cut = new Set<string>();

  constructor(tree: SourceTree) {
    this.#tree = tree;
  }

  lines(path: string): readonly string[] | undefined {
    if (!this.#lines.has(path)) this.#lines.set(path, this.#read(path));
    return this.#lines.get(path);
  }

  #read(path: string): readonly string[] | undefined {
    const text = this.#tree.text(path);
    if (text === undefined) {
      this.unread.add(path);
      return undefined;
    }
    return text.split(/\r\n|\n|\r/).map((line) => {
      if (line.length <= lineLengthMax) return line;
      this.cut.add(path);
      return line.slice(0, lineLengthMax);
    });
  }
}
