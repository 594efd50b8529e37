import { createHash } from "node:crypto";
import { detectSetup, setupTexts } from "../core/proof/detect-setup.ts";
import { type SetupInputs, setupInputs } from "../core/proof/setup-inputs.ts";
import type { SetupPlan } from "../core/proof/setup-plan.ts";
import { readObject } from "../workspace/git/object-reader.ts";
import { readTrees } from "../workspace/git/read-tree.ts";
import { readRef } from "../workspace/git/refs.ts";
import { readTop } from "../workspace/git/tree-entries.ts";

export interface CommitSetup extends SetupPlan {
  /** Its full id. */
  readonly commit: string;
  readonly tree: string;
  /** True if the commands may run code of the tree. */
  readonly runsTree: boolean;
  /** True if the tree brings a `.venv` of its own, whose programs are not to be found before the system's. */
  readonly tracksVenv: boolean;
  /** As long as it is the same, so is the result of the commands; without a lock file, what was installed first. */
  readonly key: string;
  /** The same, if it turns out that no package that was installed ran anything. */
  readonly keyUnlessScripts: string | undefined;
}

/** What the configuration says of set-ups. */
export interface SetupWishes {
  /** Null: the tree's files tell. */
  readonly setup: readonly (readonly string[])[] | null;
  readonly include: readonly string[];
}

/** Told by the commit's own files, without a checkout. */
export async function readSetup(
  root: string,
  commit: string,
  { setup, include }: SetupWishes,
): Promise<CommitSetup | undefined> {
  const full = await readRef(root, commit);
  if (full === undefined) return undefined;
  const { id: tree, names } = await readTop(root, full);
  const plan = setup === null ? await detect(root, full, { names, include }) : configured(setup);
  const inputs = await readInputs(root, full, plan);
  const keyOf = (made: unknown) =>
    createHash("sha256")
      .update(JSON.stringify([plan.commands, process.version, process.platform, process.arch, made]))
      .digest("hex");
  const isSure = inputs !== undefined && !inputs.unlessScripts;
  return {
    ...plan,
    ...{ commit: full, tree, runsTree: !isSure, tracksVenv: names.has(".venv") },
    key: keyOf(isSure ? inputs.ids : tree),
    keyUnlessScripts: inputs?.unlessScripts === true ? keyOf(inputs.ids) : undefined,
  };
}

function configured(commands: readonly (readonly string[])[]): SetupPlan {
  const why = commands.length === 0 ? "`workspace.setup` is empty" : "`workspace.setup`";
  return { commands, why, next: null };
}

async function detect(
  root: string,
  commit: string,
  { names, include }: { readonly names: ReadonlySet<string>; readonly include: readonly string[] },
): Promise<SetupPlan> {
  const texts = new Map<string, string>();
  for (const name of setupTexts) {
    const found = names.has(name) ? await readObject(root, `${commit}:${name}`) : undefined;
    if (found?.type === "blob") texts.set(name, found.bytes.toString());
  }
  const top = { has: (name: string) => names.has(name), text: (name: string) => texts.get(name) };
  const plan = detectSetup(top, { included: include });
  if (plan.commands.length > 0) return plan;
  const [tree] = await readTrees(root, [commit]);
  return detectSetup(top, { included: include, paths: tree?.paths() ?? [] });
}

/** Undefined where the set-up runs code of the tree, which may read whatever else is there. */
async function readInputs(root: string, commit: string, { commands }: SetupPlan) {
  if (commands.length === 0) return { ids: [], unlessScripts: false };
  const [tree] = await readTrees(root, [commit]);
  const inputs: SetupInputs | undefined = tree && setupInputs(commands, tree);
  if (tree === undefined || inputs === undefined) return undefined;
  const ids = inputs.paths.map((path) => [path, tree.idOf(path)]);
  return { ids, unlessScripts: inputs.unlessScripts };
}
