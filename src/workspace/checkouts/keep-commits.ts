import { appendFileSync, lstatSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { refsOf } from "../../core/names/ref-names.ts";
import { quoted } from "../../core/text/quoted.ts";
import { git } from "../git/run-git.ts";
import type { KeptRef } from "./attempt-refs.ts";
import { type Checkout, CheckoutFault, repositoryFolder } from "./checkout.ts";
import { makeRepository, shareObjects } from "./new-repository.ts";
import { asEnvironment } from "./own-git.ts";

/**
 * Copies the commits and tags that exist only in the checkout into the repository, including those that no branch, stash
 * or log reaches. Git does not read the checkout's configuration: it reads the objects through a git folder of our own
 * (the lens), and verifies each object that it copies. Returns true if there were any.
 */
export async function keepCommits(
  checkout: Checkout,
  { made }: { readonly made: readonly KeptRef[] },
): Promise<boolean> {
  if (isEmpty(join(checkout.folder, ".git", "objects"))) return false;
  const lens = join(dirname(checkout.folder), "lens.git");
  rmSync(lens, { recursive: true, force: true });
  try {
    await makeRepository({ gitFolder: lens, like: checkout.base });
    // Index files that the agent could have written are not trusted.
    appendFileSync(join(lens, "config"), "[core]\n\tmultiPackIndex = false\n\tcommitGraph = false\n");
    if (!linkObjects(join(checkout.folder, ".git"), lens)) return false;
    const { commits, tags } = await ownObjects(lens);
    shareObjects(lens, checkout.commonFolder);
    const known = new Set(made.map(({ object }) => object));
    const inRepository = [
      checkout.base,
      ...made.filter(({ type }) => type === "commit").map((ref) => ref.object),
    ];
    const tips = [...(await newest(lens, commits, inRepository)), ...tags.filter((tag) => !known.has(tag))];
    if (tips.length > 0) await fetchTips(checkout, lens, tips);
    return tips.length > 0;
  } finally {
    rmSync(lens, { recursive: true, force: true });
  }
}

/** True if there are no objects: the agent never committed, staged or stashed anything. */
function isEmpty(objects: string): boolean {
  if (!lstatSync(objects, { throwIfNoEntry: false })?.isDirectory()) return false;
  return objectFolders(objects).every(
    (name) => lstatSync(join(objects, name)).isDirectory() && readdirSync(join(objects, name)).length === 0,
  );
}

function objectFolders(objects: string): readonly string[] {
  return readdirSync(objects).filter((each) => /^(?:[0-9a-f]{2}|pack)$/.test(each));
}

/** `info` is left out: it could refer to the objects of other repositories. */
function linkObjects(gitFolder: string, lens: string): boolean {
  const from = join(gitFolder, "objects");
  if (![gitFolder, from].every((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory()))
    return false;
  rmSync(join(lens, "objects", "pack"), { recursive: true, force: true });
  for (const name of objectFolders(from)) {
    // A link could lead to the objects of any other repository.
    if (!lstatSync(join(from, name)).isDirectory())
      throw new CheckoutFault(`${quoted(join(from, name), 300)} is not a folder: remove it`);
    const special = readdirSync(join(from, name), { withFileTypes: true }).find((file) => !file.isFile());
    // Git would block for ever on a pipe.
    if (special !== undefined)
      throw new CheckoutFault(
        `${quoted(join(from, name, special.name), 300)} is not a regular file: remove it`,
      );
    symlinkSync(join(from, name), join(lens, "objects", name));
  }
  return true;
}

function inLens(lens: string) {
  return { env: { GIT_DIR: lens } };
}

async function ownObjects(lens: string): Promise<{ commits: string[]; tags: string[] }> {
  const words = [
    "cat-file",
    "--batch-all-objects",
    "--unordered",
    "--batch-check=%(objecttype) %(objectname)",
  ];
  const commits: string[] = [];
  const tags: string[] = [];
  for (const line of (await git(lens, words, inLens(lens))).split("\n")) {
    const [type, object = ""] = line.split(" ");
    if (type === "commit") commits.push(object);
    if (type === "tag") tags.push(object);
  }
  return { commits, tags };
}

/** The commits that are not a parent of another one, found in one walk. */
async function newest(lens: string, commits: readonly string[], known: readonly string[]): Promise<string[]> {
  if (commits.length === 0) return [];
  const input = [...commits, ...known.map((commit) => `^${commit}`), ""].join("\n");
  const text = await git(lens, ["rev-list", "--parents", "--stdin"], { ...inLens(lens), input });
  const lines = text.split("\n").map((line) => line.split(" "));
  const parents = new Set(lines.flatMap(([, ...of]) => of));
  return lines.flatMap(([commit = ""]) => (commit === "" || parents.has(commit) ? [] : [commit]));
}

async function fetchTips({ commonFolder, base, ...name }: Checkout, lens: string, tips: readonly string[]) {
  const input = tips.map((tip) => `create refs/kept/${tip.slice(0, 12)} ${tip}\n`).join("");
  await git(lens, ["update-ref", "--stdin"], { ...inLens(lens), input });
  const quiet = [
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
  ];
  // The user's `fetch.prune` setting would remove refs that were kept before.
  const careful = ["--no-prune", "--no-prune-tags", `--negotiation-tip=${base}`];
  const refs = `refs/kept/*:${refsOf(name).kept}/*`;
  const env = asEnvironment([
    ["fetch.fsckObjects", "true"],
    ["protocol.file.allow", "always"],
  ]);
  await git(repositoryFolder(commonFolder), ["fetch", ...quiet, ...careful, lens, refs], { env });
}
