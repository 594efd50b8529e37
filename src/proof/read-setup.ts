import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { detectSetup, setupTexts } from "../core/proof/detect-setup.ts";
import { type SetupInputs, setupInputs } from "../core/proof/setup-inputs.ts";
import type { SetupPlan } from "../core/proof/setup-plan.ts";
import { readObject } from "../workspace/git/object-reader.ts";
import { readTrees } from "../workspace/git/read-tree.ts";
import { readRef } from "../workspace/git/refs.ts";
import { readTop } from "../workspace/git/tree-entries.ts";
import { programOnPath } from "../workspace/process/search-path.ts";

export interface CommitSetup extends SetupPlan {
  /** The full commit id. */
  readonly commit: string;
  readonly tree: string;
  /** True if the commands may run code of the tree. */
  readonly runsTree: boolean;
  /** True if the tree contains a `.venv`, whose programs must not come before the system's. */
  readonly tracksVenv: boolean;
  /** The same key means the same result of the commands; without a lock file, the result of the first installation. */
  readonly key: string;
  /** The key to use if no installed package ran a script. */
  readonly keyUnlessScripts: string | undefined;
  /** As `key`, but the same on all machines with the same platform; the versions of the tools are not part of it. */
  readonly keyAnywhere: string;
  /** The programs that install, and the interpreters that the result is made for. */
  readonly tools: readonly string[];
}

/** The configuration of setups. */
export interface SetupOptions {
  /** Null: detected from the tree's files. */
  readonly setup: readonly (readonly string[])[] | null;
  readonly include: readonly string[];
}

/** Reads the setup of a commit from its files, without a checkout. */
export async function readSetup(
  root: string,
  commit: string,
  { setup, include }: SetupOptions,
): Promise<CommitSetup | undefined> {
  const full = await readRef(root, commit);
  if (full === undefined) return undefined;
  const { id: tree, names } = await readTop(root, full);
  const plan = setup === null ? await detect(root, full, { names, include }) : configured(setup);
  const inputs = await readInputs(root, full, plan);
  const tools = toolsOf(plan.commands);
  const keyOf = (made: unknown, marks: unknown = tools.map(markOf)) =>
    createHash("sha256")
      .update(JSON.stringify([plan.commands, marks, process.platform, process.arch, made]))
      .digest("hex");
  const isSure = inputs !== undefined && !inputs.unlessScripts;
  return {
    ...plan,
    ...{ commit: full, tree, runsTree: !isSure, tracksVenv: names.has(".venv") },
    key: keyOf(isSure ? inputs.ids : tree),
    keyUnlessScripts: inputs?.unlessScripts === true ? keyOf(inputs.ids) : undefined,
    keyAnywhere: keyOf(isSure ? inputs.ids : tree, []),
    tools,
  };
}

function toolsOf(commands: SetupPlan["commands"]): readonly string[] {
  if (commands.length === 0) return [];
  return [...new Set([...commands.map(([name = ""]) => name), "node", "python3"])].sort();
}

/** A mark of the version of a program on this machine. */
export function markOf(name: string): unknown {
  const file = programOnPath(name);
  if (file === undefined) return [name];
  const { size, mtimeMs } = statSync(file);
  return [name, realpathSync.native(file), size, mtimeMs];
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

/** Undefined if the setup runs code of the tree, which can read any file. */
async function readInputs(root: string, commit: string, { commands }: SetupPlan) {
  if (commands.length === 0) return { ids: [], unlessScripts: false };
  const [tree] = await readTrees(root, [commit]);
  const inputs: SetupInputs | undefined = tree && setupInputs(commands, tree);
  if (tree === undefined || inputs === undefined) return undefined;
  const ids = inputs.paths.map((path) => [path, tree.idOf(path)]);
  return { ids, unlessScripts: inputs.unlessScripts };
}
