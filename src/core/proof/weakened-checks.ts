/** A change to what would find a fault. Not refused: a person who reads the proof has to see it. */
export interface Weakened {
  readonly path: string;
  readonly what: string;
}

export interface ChangedText {
  readonly path: string;
  /** Undefined where the file did not exist, or cannot be read as text. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const testFile =
  /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)s?\.\w+$|(?:^|\/)test_[^/]+\.py$|_test\.(?:go|py|rb|exs?)$/;
const runnerFile =
  /(?:^|\/)(?:(?:vitest|jest|karma|playwright|cypress|mocha|ava)\.(?:config|workspace)\.\w+|\.mocharc[^/]*|pytest\.ini|tox\.ini|conftest\.py|setup\.cfg|pyproject\.toml|Makefile|\.nycrc[^/]*|codecov\.ya?ml|phpunit\.xml[^/]*)$/;
const automationFile =
  /^(?:\.github\/workflows\/|\.gitlab-ci|\.circleci\/|\.vscode\/|azure-pipelines|Jenkinsfile)/;
const managerFile =
  /(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.c?js|bunfig\.toml|pip\.conf|uv\.toml)$/;
const skips =
  /\b(?:it|test|describe|context|suite)\.(?:skip|todo|only)\b|["']node:test["']\)\.(?:skip|todo|only)\b|\b(?:xit|xdescribe|xtest|fit|fdescribe)\s*\(|@pytest\.mark\.(?:skip|xfail)|@unittest\.skip|\bt\.Skip\(|#\[ignore\]|@(?:Disabled|Ignore)\b/g;

/** Tests deleted, emptied or skipped, scripts and runners redefined. */
export function findWeakened(changed: readonly ChangedText[]): readonly Weakened[] {
  return changed.flatMap((change) => [...weakeningsOf(change)]);
}

export function touchesTests(paths: readonly string[]): boolean {
  return paths.some((path) => testFile.test(path));
}

function* weakeningsOf({ path, before, after }: ChangedText): Iterable<Weakened> {
  if (testFile.test(path) && before !== undefined) {
    if (after === undefined) yield { path, what: "a test file was deleted" };
    else if (linesOf(after) < linesOf(before) / 2)
      yield { path, what: "a test file lost more than half of its lines" };
  }
  const added = count(after) - count(before);
  if (added > 0) yield { path, what: `${added} test${added === 1 ? " is" : "s are"} skipped or singled out` };
  if (runnerFile.test(path)) yield { path, what: "the configuration of a test runner was changed" };
  if (managerFile.test(path)) yield { path, what: "the configuration of a package manager was changed" };
  if (automationFile.test(path)) yield { path, what: "the automation of the repository was changed" };
  if (/(?:^|\/)package\.json$/.test(path)) yield* scriptsChanged(path, before, after);
}

function* scriptsChanged(
  path: string,
  before: string | undefined,
  after: string | undefined,
): Iterable<Weakened> {
  const [old, now] = [scriptsOf(before), scriptsOf(after)];
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)]))
    if (old[name] !== undefined && old[name] !== now[name])
      yield { path, what: `script \`${name}\` was ${now[name] === undefined ? "removed" : "redefined"}` };
}

function scriptsOf(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const { scripts } = JSON.parse(text ?? "{}") as { scripts?: unknown };
    return typeof scripts === "object" && scripts !== null ? { ...scripts } : {};
  } catch {
    return {}; // a package.json that does not parse fails the syntax check
  }
}

function count(text: string | undefined): number {
  return text === undefined ? 0 : (text.match(skips) ?? []).length;
}

function linesOf(text: string): number {
  return text.split("\n").filter((line) => line.trim() !== "").length;
}
