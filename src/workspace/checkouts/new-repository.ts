import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { quotePath } from "../git/quote-path.ts";
import { git } from "../git/run-git.ts";

export interface NewRepository {
  /** `.git` in its checkout, or the folder of a bare repository. */
  readonly gitFolder: string;
  /** The branch that is checked out; without it the repository is bare. */
  readonly branch?: string;
  /** An object id with the wanted length of ids. */
  readonly like: string;
}

/** Creates what `git init` creates without a template: no hooks, and refs as files. */
export async function makeRepository({ gitFolder, branch, like }: NewRepository): Promise<void> {
  const folder = dirname(gitFolder);
  mkdirSync(folder, { recursive: true });
  const config = await newConfig({ folder, bare: branch === undefined, like });
  for (const name of ["objects/info", "objects/pack", "refs/heads", "refs/tags"])
    mkdirSync(join(gitFolder, name), { recursive: true });
  writeFileSync(join(gitFolder, "HEAD"), `ref: refs/heads/${branch ?? "main"}\n`);
  writeFileSync(join(gitFolder, "config"), config);
}

/** Configuration files by kind. */
const configs = new Map<string, Promise<Buffer>>();

/**
 * The configuration of a new repository below a folder. It depends on the file system, so git writes the first one, in a
 * repository that is removed again.
 */
export function newConfig({ folder, bare, like }: ConfigPlace): Promise<Buffer> {
  const kind = `${like.length} ${bare} ${statSync(folder).dev}`;
  const known = configs.get(kind) ?? readNewConfig({ folder, bare, like });
  configs.set(kind, known);
  known.catch(() => configs.delete(kind));
  return known;
}

interface ConfigPlace extends Pick<NewRepository, "like"> {
  readonly folder: string;
  readonly bare: boolean;
}

async function readNewConfig({ folder, bare, like }: ConfigPlace): Promise<Buffer> {
  const tried = mkdtempSync(join(folder, ".new-"));
  try {
    const format = `--object-format=${like.length === 64 ? "sha256" : "sha1"}`;
    const words = ["init", "--quiet", "--template=", format, ...(bare ? ["--bare"] : []), tried];
    await git(folder, ["-c", "init.defaultRefFormat=files", ...words]);
    return readFileSync(join(tried, bare ? "config" : ".git/config"));
  } finally {
    rmSync(tried, { recursive: true, force: true });
  }
}

/** Lets a git folder use the objects of another without copying them, including the limits of a shallow clone. */
export function shareObjects(gitFolder: string, from: string): void {
  const info = join(gitFolder, "objects", "info");
  mkdirSync(info, { recursive: true });
  writeFileSync(join(info, "alternates"), `${quotePath(join(from, "objects"))}\n`);
  const shallow = join(from, "shallow");
  if (existsSync(shallow)) copyFileSync(shallow, join(gitFolder, "shallow"));
}

/** Sets the committer, `NAME <MAIL>`, independently of the agent's home. */
export function writePerson(gitFolder: string, person: string): void {
  const [, name = "", mail = ""] = /^(.*) <(.*)>$/.exec(person) ?? [];
  const value = (text: string) => `"${text.replace(/[\\"]/g, "\\$&")}"`;
  appendFileSync(join(gitFolder, "config"), `[user]\n\tname = ${value(name)}\n\temail = ${value(mail)}\n`);
}

/** Only for a new repository, in which refs are files. */
export function writeBranch(gitFolder: string, branch: string, commit: string): void {
  const file = join(gitFolder, "refs", "heads", branch);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${commit}\n`);
}
