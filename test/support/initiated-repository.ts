import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type CommandRun, type Repository, temporaryRepository } from "./run-command.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A repository and a home of its own, on a machine with the added clients. */
export interface InitiatedRepository extends Disposable {
  readonly path: string;
  readonly home: string;
  readonly repository: Repository;
  write(file: string, text: string): string;
  writeHome(file: string, text: string): string;
  read(file: string): string;
  has(file: string): boolean;
  /** A program on PATH: its text is for `sh`, or for Node. */
  addProgram(name: string, text: string): void;
  run(words: readonly string[], env?: Readonly<Record<string, string>>): Promise<CommandRun>;
  /** Every file of the project and the home except git's own, with its content and its mode. */
  everything(): Readonly<Record<string, string>>;
}

export function initiatedRepository(files: Readonly<Record<string, string>> = {}): InitiatedRepository {
  const repository = temporaryRepository(files);
  const beside = temporaryFolder();
  const [home, programs] = ["home", "bin"].map((name) => join(beside.path, name)) as [string, string];
  for (const folder of [home, programs]) mkdirSync(folder);
  const path = [programs, dirname(process.execPath), "/usr/bin", "/bin"].join(":");
  return {
    path: repository.path,
    home,
    repository,
    write: repository.write,
    writeHome: (file, text) => beside.write(join("home", file), text),
    read: (file) => readFileSync(join(repository.path, file), "utf8"),
    has: (file) => existsSync(join(repository.path, file)),
    addProgram: (name, text) => chmodSync(beside.write(join("bin", name), text), 0o755),
    run: (words, env = {}) =>
      repository.run(words, { env: { HOME: home, PATH: path, CODEX_HOME: "", ...env } }),
    everything: () =>
      Object.fromEntries([...filesIn(repository.path), ...filesIn(home), ...excludeOf(repository.path)]),
    [Symbol.dispose]: () => {
      beside[Symbol.dispose]();
      repository[Symbol.dispose]();
    },
  };
}

function filesIn(root: string): readonly (readonly [string, string])[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !relative(root, file).startsWith(".git/"))
    .map((file) => [file, `${statSync(file).mode.toString(8)} ${readFileSync(file, "latin1")}`]);
}

function excludeOf(root: string): readonly (readonly [string, string])[] {
  const file = join(root, ".git/info/exclude");
  return existsSync(file) ? [[file, readFileSync(file, "utf8")]] : [];
}
