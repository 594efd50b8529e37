import { kindOf, soundsLikeHelper } from "../../core/proof/material/kinds.ts";
import { assertsSomething } from "../../core/proof/material/read-losses.ts";
import type { ChangedText } from "../../core/proof/material/weakenings.ts";
import { tryGit } from "../../workspace/git/run-git.ts";

const code = /\.(?:[cm]?[jt]sx?|py|rb|go|rs)$/;
/** Each costs a search through the base. */
const candidatesMax = 100;

/**
 * Files of the base that only tests use although they lie beside the product: helpers that assert or are called
 * helpers, and data. A module without such a sign is the product, even where nothing but its test imports it.
 */
export async function usedByTestsOnly(
  root: string,
  base: string,
  changed: readonly ChangedText[],
  isTest: (path: string) => boolean,
): Promise<ReadonlySet<string>> {
  const candidates = changed.filter(isCandidate).slice(0, candidatesMax);
  if (candidates.length === 0) return new Set();
  const users = new Map<string, readonly string[]>();
  for (const { path } of candidates) users.set(path, await usersOf(root, base, path));
  const found = new Set<string>();
  for (let grew = true; grew; ) {
    grew = false;
    for (const { path } of candidates) {
      const using = (users.get(path) ?? []).filter((one) => one !== path && mayUse(one, path));
      const isUsed = using.length > 0 && using.every((one) => isTest(one) || found.has(one));
      if (!isUsed || found.has(path)) continue;
      found.add(path);
      grew = true;
    }
  }
  return found;
}

function isCandidate({ path, before, status }: ChangedText): boolean {
  if (status === "added" || kindOf(path) !== undefined) return false;
  if (!code.test(path))
    return !/(?:^|\/)(?:README|CHANGELOG|LICENSE|docs\/)|\.(?:md|lock)$|(?:^|\/)package-lock/i.test(path);
  return soundsLikeHelper(path) || assertsSomething(path, before ?? "");
}

/** What an import calls a file: without its folder, and a script without its ending. */
function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (!code.test(name)) return name;
  const stem = name.replace(code, "");
  const folder = path
    .split("/")
    .slice(0, -1)
    .findLast((one) => !/^(?:src|lib|dist)$/.test(one));
  return /^(?:index|mod|__init__|lib|main)$/.test(stem) && folder !== undefined ? folder : stem;
}

/** Documents, lists of files and scripts that make data name much that they do not use. */
function mayUse(user: string, used: string): boolean {
  if (kindOf(user) === "manifest") return code.test(used);
  if (!code.test(user)) return user.endsWith(".html");
  return code.test(used) || !/^(?:scripts?|tools?|hack|bin|ci|\.github)\//.test(user);
}

/** Data may be found by listing its folder. */
async function usersOf(root: string, base: string, path: string): Promise<readonly string[]> {
  const users = (await filesThatName(root, base, stemOf(path))).filter(
    (one) => one !== path && mayUse(one, path),
  );
  const folder = path.split("/").at(-2);
  if (users.length > 0 || code.test(path) || folder === undefined || folder.length < 3) return users;
  return (await filesThatName(root, base, folder)).filter((one) => mayUse(one, path));
}

async function filesThatName(root: string, base: string, name: string): Promise<readonly string[]> {
  const words = ["grep", "-I", "-z", "-l", "--full-name", "-F", "-e", name, base, "--"];
  const { stdout } = await tryGit(root, words);
  const found = stdout
    .toString("utf8")
    .split("\0")
    .filter((path) => path !== "");
  return found.map((path) => path.slice(path.indexOf(":") + 1));
}
