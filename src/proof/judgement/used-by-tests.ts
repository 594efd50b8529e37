import { kindOf, soundsLikeHelper } from "../../core/proof/material/kinds.ts";
import { assertsSomething } from "../../core/proof/material/read-losses.ts";
import type { ChangedText, Weakened } from "../../core/proof/material/weakenings.ts";
import { tryGit } from "../../workspace/git/run-git.ts";

const code = /\.(?:[cm]?[jt]sx?|py|rb|go|rs)$/;
/** Each candidate costs a search through the base. */
const candidatesMax = 100;

/**
 * Files of the base next to the product that only tests use: data, and modules that assert something or have the name of
 * a helper. Any other module counts as product, even if only its test imports it.
 */
export async function usedByTestsOnly(
  root: string,
  base: string,
  changed: readonly ChangedText[],
  isTest: (path: string) => boolean,
): Promise<ReadonlySet<string>> {
  const candidates = changed.filter(isCandidate).slice(0, candidatesMax);
  const users = new Map<string, readonly string[]>();
  for (const { path } of candidates) users.set(path, await usersOf(root, base, path));
  const found = new Set<string>();
  for (const { path } of changed.filter(({ path, status }) => path.endsWith(".rs") && status !== "added"))
    if (await isTestModule(root, base, path)) found.add(path);
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

/** The name by which an import finds a file: without its folder, and for scripts without the extension. */
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

/** Whether naming a file counts as using it: not in documents, file lists and scripts that generate data. */
function mayUse(user: string, used: string): boolean {
  if (kindOf(user) === "manifest") return code.test(used);
  if (!code.test(user)) return user.endsWith(".html");
  return code.test(used) || !/^(?:scripts?|tools?|hack|bin|ci|\.github)\//.test(user);
}

/** Whether a Rust file is a module of tests only: `#[cfg(test)] mod x;`. */
async function isTestModule(root: string, base: string, path: string): Promise<boolean> {
  const declared = `^[[:space:]]*(pub(\\([^)]*\\))?[[:space:]]+)?mod ${stemOf(path)};`;
  const { stdout } = await tryGit(root, ["grep", "-h", "-B2", "-E", declared, base, "--", "*.rs"]);
  const places = stdout
    .toString("utf8")
    .split(/^--$/m)
    .filter((text) => text.trim() !== "");
  return places.length > 0 && places.every((text) => /#\[cfg\([^\]]*\btest\b/.test(text));
}

/** Go modules that only tests import and that the change replaces. */
export async function replacedTestModules(
  root: string,
  base: string,
  changed: readonly ChangedText[],
): Promise<readonly Weakened[]> {
  const found: Weakened[] = [];
  for (const { path, before = "", after = "" } of changed.filter((one) =>
    /(?:^|\/)go\.mod$/.test(one.path),
  )) {
    const old = new Set(before.split("\n").map((line) => line.trim()));
    for (const line of after.split("\n").map((one) => one.trim())) {
      const module = old.has(line) ? undefined : /^(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>/.exec(line)?.[1];
      if (module === undefined) continue;
      const users = (await filesThatName(root, base, `"${module}`)).filter((user) => user.endsWith(".go"));
      if (users.length > 0 && users.every((user) => user.endsWith("_test.go")))
        found.push({ path, what: `a module that only tests import is replaced: \`${line}\`` });
    }
  }
  return found;
}

/** The files that name this file; or, for data that no file names, those that name its folder. */
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
