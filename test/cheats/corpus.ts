import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import * as z from "zod";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Replaces a text that must occur exactly once. */
const replacement = z.strictObject({ from: z.string().min(1), to: z.string() });
const change = {
  write: z.record(z.string(), z.string()).default({}),
  edit: z.record(z.string(), z.array(replacement).min(1)).default({}),
  delete: z.array(z.string()).default([]),
  move: z.record(z.string(), z.string()).default({}),
};
const verdict = z.enum(["merge", "ask", "refuse"]);
const sentence = z.string().regex(/^[A-Z].*\.$/, "one plain sentence");

const cheatCase = z.strictObject({
  name: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  class: z.enum(["weakens", "games", "honest"]),
  does: sentence,
  /** Faults of the product in this case's branch, by their names in `faults`. */
  faults: z.array(z.string()).default([]),
  ...change,
  /** The expected result; several if each of them keeps the promise. */
  expect: z.union([verdict.transform((one) => [one]), z.array(verdict).min(1)]),
  /** Texts that the person's message must contain. */
  told: z.array(z.string()).default([]),
  /** Also run with the built command, with the answer of the decision if there is one. */
  by_command: z.boolean().default(false),
});

const projectFile = z.strictObject({
  language: z.enum(["JavaScript", "TypeScript", "Python", "Go", "Rust"]),
  runner: z.string(),
  /** The project's own test command. */
  command: z.string(),
  /** Shell commands that succeed if the tool chain is available. */
  needs: z.array(z.string()),
  /** A fault of a product, in the same form as a case. */
  faults: z.record(z.string(), z.strictObject({ ...change, does: sentence })).default({}),
  cases: z.array(cheatCase).min(1),
});

type Verdict = z.infer<typeof verdict>;
export type Case = z.infer<typeof cheatCase>;
export interface Project extends z.infer<typeof projectFile> {
  readonly name: string;
  /** The base: the text of every file by its path. */
  readonly files: ReadonlyMap<string, string>;
}

/** Every project with its cases. */
export function loadCorpus(): readonly Project[] {
  const names = readdirSync(here, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  return names.map(loadProject);
}

function loadProject(name: string): Project {
  const path = join(here, name, "cases.yaml");
  const read = projectFile.safeParse(parse(readFileSync(path, "utf8")));
  if (!read.success) throw new Error(`${path}: ${z.prettifyError(read.error)}`);
  const project = { ...read.data, name, files: filesIn(join(here, name, "base")) };
  const seen = new Set<string>();
  for (const one of project.cases) {
    if (seen.has(one.name)) throw new Error(`${path}: two cases are called \`${one.name}\``);
    seen.add(one.name);
    filesOf(project, one);
  }
  return project;
}

function filesIn(folder: string): ReadonlyMap<string, string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.sort().map((path) => [relative(folder, path), readFileSync(path, "utf8")]));
}

type Change = Pick<Case, keyof typeof change>;

/** The files of a case's branch: its faults first, then its own changes. */
export function filesOf(
  project: Project,
  { name, faults, ...own }: Change & Pick<Case, "name" | "faults">,
): ReadonlyMap<string, string> {
  const files = new Map(project.files);
  const where = `${project.name}/${name}`;
  for (const fault of faults) {
    const known = project.faults[fault];
    if (known === undefined) throw new Error(`${where}: there is no fault \`${fault}\``);
    apply(files, known, where);
  }
  apply(files, own, where);
  return files;
}

function apply(files: Map<string, string>, { write, edit, delete: gone, move }: Change, where: string): void {
  const take = (path: string) => {
    const text = files.get(path);
    if (text === undefined) throw new Error(`${where}: there is no file \`${path}\``);
    return text;
  };
  for (const [from, to] of Object.entries(move)) {
    const text = take(from);
    files.delete(from);
    files.set(to, text);
  }
  for (const [path, replacements] of Object.entries(edit))
    for (const { from, to } of replacements) {
      const parts = take(path).split(from);
      if (parts.length !== 2) throw new Error(`${where}: ${path} has ${parts.length - 1} times: ${from}`);
      files.set(path, parts.join(to));
    }
  for (const path of gone) {
    take(path);
    files.delete(path);
  }
  for (const [path, text] of Object.entries(write)) files.set(path, text);
}

/** True if the message contains everything that it must. */
export function missingIn({ told }: Case, message: string): readonly string[] {
  return told.filter((fragment) => !message.includes(fragment));
}

export type { Verdict };
