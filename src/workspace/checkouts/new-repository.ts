import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { quotePath } from "../git/quote-path.ts";
import { git } from "../git/run-git.ts";

export interface NewRepository {
  /** `.git` in its checkout, or the whole of a bare one. */
  readonly gitFolder: string;
  /** What is checked out; without it the repository is bare. */
  readonly branch?: string;
  /** Its ids are as long as this one. */
  readonly like: string;
}

/** What `git init` makes without a template: no hooks, and refs that are files. */
export async function makeRepository({ gitFolder, branch, like }: NewRepository): Promise<void> {
  const bare = branch === undefined;
  const folder = dirname(gitFolder);
  mkdirSync(folder, { recursive: true });
  const kind = `${like.length} ${bare} ${statSync(folder).dev}`;
  const config = configs.get(kind);
  const format = like.length === 64 ? "sha256" : "sha1";
  if (config === undefined) {
    const words = ["init", "--quiet", "--template=", `--object-format=${format}`];
    const where = bare ? ["--bare", gitFolder] : [`--initial-branch=${branch}`, folder];
    await git(folder, ["-c", "init.defaultRefFormat=files", ...words, ...where]);
    configs.set(kind, readFileSync(join(gitFolder, "config")));
    return;
  }
  for (const name of ["objects/info", "objects/pack", "refs/heads", "refs/tags"])
    mkdirSync(join(gitFolder, name), { recursive: true });
  writeFileSync(join(gitFolder, "HEAD"), `ref: refs/heads/${branch ?? "main"}\n`);
  writeFileSync(join(gitFolder, "config"), config);
}

/** Asked of git once: which ids these are, and what the file system can do. */
const configs = new Map<string, Buffer>();

/** Lets a git folder use the objects of another without copying them, and know where their history ends. */
export function shareObjects(gitFolder: string, from: string): void {
  const info = join(gitFolder, "objects", "info");
  mkdirSync(info, { recursive: true });
  writeFileSync(join(info, "alternates"), `${quotePath(join(from, "objects"))}\n`);
  const shallow = join(from, "shallow");
  if (existsSync(shallow)) copyFileSync(shallow, join(gitFolder, "shallow"));
}

/** Who commits there: `NAME <MAIL>`, whatever the home of whoever works there says. */
export function writePerson(gitFolder: string, person: string): void {
  const [, name = "", mail = ""] = /^(.*) <(.*)>$/.exec(person) ?? [];
  const value = (text: string) => `"${text.replace(/[\\"]/g, "\\$&")}"`;
  appendFileSync(join(gitFolder, "config"), `[user]\n\tname = ${value(name)}\n\temail = ${value(mail)}\n`);
}

/** In a repository that was just made, where refs are files. */
export function writeBranch(gitFolder: string, branch: string, commit: string): void {
  const file = join(gitFolder, "refs", "heads", branch);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${commit}\n`);
}
