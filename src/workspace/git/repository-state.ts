import type { Config } from "../../contract/config.ts";
import { trackingRef } from "../../core/names/ref-names.ts";
import type { Project } from "../files/find-project.ts";
import { isOn, settingsIn } from "./known-settings.ts";
import { readRef } from "./refs.ts";
import { git, tryGit } from "./run-git.ts";

export interface RepositoryState {
  /** The top folder that commands run in. */
  readonly root: string;
  readonly commonFolder: string;
  /** The branch that work is merged into. */
  readonly base: string;
  /** The ref that shows its commit: the branch here, or with `integrate: push` that of the remote, as last fetched. */
  readonly baseRef: string;
  readonly baseCommit: string;
}

/** Why Lockstep cannot work here, with the remedy. */
interface Unusable {
  readonly error: string;
}

type BaseSettings = Pick<Config, "base_branch" | "integrate" | "remote">;

/** The ref that shows the base's commit. */
export function baseRefOf(base: string, { integrate, remote }: Omit<BaseSettings, "base_branch">): string {
  return integrate === "push" && remote !== null ? trackingRef(remote, base) : `refs/heads/${base}`;
}

/** The repository and its base branch; or why Lockstep cannot use them. */
export async function readRepository(
  project: Project,
  wanted: BaseSettings,
): Promise<RepositoryState | Unusable> {
  const { base_branch: baseBranch } = wanted;
  const found = await findRepository(project);
  if ("error" in found) return found;
  const { root, commonFolder } = found;
  const [settings, { exit, stdout }] = await Promise.all([
    settingsIn(root),
    tryGit(root, ["symbolic-ref", "--quiet", "HEAD"]),
  ]);
  const canBeBare = isOn(settings, "core.bare") || (exit !== 0 && exit !== 1);
  const unsupported = (canBeBare ? await whyNoCheckout(root) : undefined) ?? whySparse(settings);
  if (unsupported !== undefined) return { error: unsupported };
  const base =
    baseBranch ??
    (exit === 0
      ? stdout
          .toString("utf8")
          .trim()
          .replace(/^refs\/heads\//, "")
      : undefined);
  if (base === undefined)
    return { error: "no branch is checked out: check out the one to merge into, or set `base_branch`" };
  const baseRef = baseRefOf(base, wanted);
  const baseCommit = (await readRef(root, baseRef)) ?? (await readRef(root, `refs/heads/${base}`));
  if (baseCommit === undefined) return { error: await whyNoBase(root, base) };
  return { root, commonFolder, base, baseRef, baseCommit };
}

/** Called before anything is written, so that a folder outside a repository stays unchanged. */
export async function findRepository({
  place,
  commonFolder,
}: Project): Promise<{ readonly root: string; readonly commonFolder: string } | Unusable> {
  const root = place.realRoot ?? place.root;
  if (commonFolder !== undefined) return { root, commonFolder };
  const error = await whyBare(root);
  return { error: error ?? "this is not a git repository: run `git init` and make a first commit" };
}

/** Why Lockstep cannot work in a bare repository; undefined for any other folder. */
export async function whyBare(folder: string): Promise<string | undefined> {
  const { exit, stdout } = await tryGit(folder, ["rev-parse", "--is-bare-repository"]);
  return exit === 0 && stdout.toString().trim() === "true" ? bare : undefined;
}

const bare = "this is a bare repository, which has no files to check: work in a clone of it";

/** A worktree of a bare repository has its settings and is none. Throws where git cannot read the repository. */
async function whyNoCheckout(root: string): Promise<string | undefined> {
  return (await git(root, ["rev-parse", "--is-bare-repository"])) === "true" ? bare : undefined;
}

function whySparse(settings: readonly string[]): string | undefined {
  return isOn(settings, "core.sparsecheckout")
    ? "a sparse checkout hides files from the checks: run `git sparse-checkout disable`"
    : undefined;
}

async function whyNoBase(root: string, base: string): Promise<string> {
  const { stdout } = await tryGit(root, ["rev-list", "--all", "--max-count=1"]);
  return stdout.length === 0
    ? `branch \`${base}\` has no commit yet: make a first one, such as \`${await firstCommit(root)}\``
    : `there is no branch \`${base}\` here: \`git branch\` lists them; \`base_branch\` names the one to merge into`;
}

/** Agents and checks see only what is committed, so files that are there belong to the first commit. */
async function firstCommit(root: string): Promise<string> {
  const { stdout } = await tryGit(root, [
    "ls-files",
    "--cached",
    "--others",
    "--exclude-standard",
    "--directory",
  ]);
  return stdout.length === 0 ? 'git commit --allow-empty -m "first"' : 'git add -A && git commit -m "first"';
}

/** True for a shallow clone, which lacks older commits. */
export async function isShallow(root: string): Promise<boolean> {
  return (await git(root, ["rev-parse", "--is-shallow-repository"])) === "true";
}
