import { createHash } from "node:crypto";
import { detectSetup } from "../core/proof/detect-commands.ts";
import { splitAtZero } from "../workspace/git/read-diff.ts";
import { readRef } from "../workspace/git/refs.ts";
import { git, gitBytes } from "../workspace/git/run-git.ts";

export interface CommitSetup {
  /** Its full id. */
  readonly commit: string;
  readonly tree: string;
  readonly commands: readonly (readonly string[])[];
  /** As long as it is the same, so is the result of the commands. */
  readonly key: string;
}

/** What set-ups are made from, if the project says itself how. */
const configuredInputs = [
  ...["package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"],
  ...["yarn.lock", "bun.lock", "pyproject.toml", "uv.lock", "poetry.lock", "requirements.txt", "Gemfile"],
  ...["Gemfile.lock", "composer.json", "composer.lock", "go.sum", "Cargo.lock"],
];

/** What packages' own install scripts read. */
const alwaysInputs = [".npmrc", ".yarnrc.yml", ".yarn", "patches", "prisma"];

/** Told by the commit's own files, without a checkout; `configured` is null where the lock files tell. */
export async function readSetup(
  root: string,
  commit: string,
  configured: readonly (readonly string[])[] | null,
): Promise<CommitSetup | undefined> {
  const full = await readRef(root, commit);
  if (full === undefined) return undefined;
  const ids = await topIds(root, full);
  const { commands, inputs } =
    configured === null
      ? detectSetup({ has: (name) => ids.has(name), text: () => undefined })
      : { commands: configured, inputs: configuredInputs };
  const made = commands.length === 0 ? [] : [...inputs, ...alwaysInputs].map((name) => [name, ids.get(name)]);
  const told = JSON.stringify([commands, process.version, process.platform, process.arch, made]);
  const tree = await git(root, ["rev-parse", "--verify", "--end-of-options", `${full}^{tree}`]);
  return { commit: full, tree, commands, key: createHash("sha256").update(told).digest("hex") };
}

/** The ids of what lies at the top of a commit's tree, by name. */
async function topIds(root: string, commit: string): Promise<ReadonlyMap<string, string>> {
  const entries = splitAtZero(await gitBytes(root, ["ls-tree", "-z", "--full-tree", commit]));
  return new Map(
    entries.map((entry) => {
      const [facts = "", name = ""] = entry.toString("utf8").split("\t");
      return [name, facts.split(" ")[2] ?? ""];
    }),
  );
}
