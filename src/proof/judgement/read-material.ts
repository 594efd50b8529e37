import type { Config } from "../../contract/config.ts";
import type { Place } from "../../core/paths/place.ts";
import { readEntries, Scope } from "../../core/paths/scope.ts";
import { fileOf } from "../../core/proof/lost-tests.ts";
import { filesNamedBy } from "../../core/proof/material/check-files.ts";
import { isTestPath } from "../../core/proof/material/kinds.ts";
import { type MaterialDiff, readMaterialDiff } from "../../core/proof/material/material-diff.ts";
import { testItemsIn } from "../../core/proof/material/test-items.ts";
import type { ChangedText, Weakened } from "../../core/proof/material/weakenings.ts";
import { readChangedTexts } from "../../workspace/git/read-changed-texts.ts";
import { type CommitTree, readTrees } from "../../workspace/git/read-tree.ts";
import { compareTrees } from "../../workspace/git/tree-entries.ts";
import type { JudgedCheck } from "./judge-change.ts";
import { replacedTestModules, usedByTestsOnly } from "./used-by-tests.ts";

export interface MaterialInput {
  readonly root: string;
  readonly place: Place;
  /** The commit whose tests judge. */
  readonly base: string;
  readonly tree: string;
  readonly checks: readonly Pick<JudgedCheck, "command" | "before">[];
  readonly tests: Config["tests"];
  /** Globs of tests that a person has allowed the change to touch. */
  readonly mayChange: readonly string[];
}

/** What a change does to test material, and the data for the judgement. */
export interface ReadMaterial {
  readonly diff: MaterialDiff;
  readonly changed: readonly ChangedText[];
  readonly differences: Awaited<ReturnType<typeof compareTrees>>;
  /** Modules that only tests import and that are replaced by others. */
  readonly replaced: readonly Weakened[];
  /** Whether the runners isolate test files, that is, no setting switches that off. */
  readonly isIsolating: boolean;
  /** Whether a person has allowed the change to touch the test with this id. */
  mayLose(test: string): boolean;
}

export async function readMaterial(input: MaterialInput): Promise<ReadMaterial> {
  const { root, base, tree, checks, tests, place } = input;
  const differences = await compareTrees(root, base, tree);
  const changed = await readChangedTexts(root, base, tree);
  const commands = checks.map(({ command }) => command);
  const [onBase] = changed.length === 0 ? [] : await readTrees(root, [base]);
  const named = onBase === undefined ? new Set<string>() : namedByChecks(onBase, commands);
  const stems = new Set((onBase?.paths() ?? []).map((path) => path.replace(/\.[^./]+$/, "")));
  const settings = ["package.json", "vitest.config.ts", "vitest.config.js", "vite.config.ts"].flatMap(
    (path) => (onBase?.idOf(path) === undefined ? [] : (onBase.text(path) ?? [])),
  );
  const mayChange = inGlobs(input.mayChange, place);
  const [isMaterial, isIgnored] = [inGlobs(tests.material, place), inGlobs(tests.ignore, place)];
  const ids = checks.flatMap(({ before }) => Object.keys(before.inventory?.tests ?? {}));
  const hasInventory = checks.some(({ before }) => before.inventory !== null);
  const files = new Set(ids.map(fileOf));
  const isTest = (path: string) => isTestPath(path) || files.has(path);
  const helpers = await usedByTestsOnly(root, base, changed, isTest);
  const hasOwnTests = new Set(
    changed.filter(({ path, before }) => testItemsIn(path, before).length > 0).map(({ path }) => path),
  );
  const diff = readMaterialDiff(changed, {
    // A file that a runner collects is a test in any folder. Tests inside source files are recognised by their text.
    isNamed: (path) => named.has(path) || helpers.has(path) || (files.has(path) && !hasOwnTests.has(path)),
    configured: (path) => (isIgnored(path) ? false : isMaterial(path) ? true : undefined),
    mayChange,
    mayShadow: (path) => stems.has(path.replace(/\.[^./]+$/, "")),
    tellsTests: checks.length > 0 && checks.every(({ before }) => before.inventory !== null),
    runsExamples: (path) => {
      const isExample = (id: string) =>
        id.startsWith(`${path} > `) && (!path.endsWith(".rs") || /\(documentation/.test(id));
      if (hasInventory) return ids.some(isExample);
      return !path.endsWith(".py") || commands.some((command) => command.includes("doctest"));
    },
  });
  const allowed = changed.filter(({ path }) => mayChange(path)).map(({ path }) => path);
  // Some runners name a test by the folder of its file.
  const places = new Set(
    allowed.flatMap((path) => [path, path.includes("/") ? path.replace(/\/[^/]*$/, "") : "."]),
  );
  const isIsolating = !commands.concat(settings).some((text) => noIsolation.test(text));
  const replaced = await replacedTestModules(root, base, changed);
  return { diff, changed, differences, replaced, isIsolating, mayLose: (test) => places.has(fileOf(test)) };
}

const noIsolation = /isolation[= ]none|--no-isolate|\bisolate["']?\s*:\s*false|singleThread|--isolation=none/;

function namedByChecks(tree: CommitTree, commands: readonly string[]) {
  return filesNamedBy(commands, {
    paths: () => tree.paths(),
    has: (path) => tree.idOf(path) !== undefined,
    text: (path) => tree.text(path),
    load: (paths) => tree.load(paths),
  });
}

function inGlobs(globs: readonly string[], place: Place): (path: string) => boolean {
  const read = readEntries(globs, place);
  if ("error" in read || globs.length === 0) return () => false;
  const scope = new Scope(read.entries, place);
  return (path) => scope.entryOf(path) !== undefined;
}
