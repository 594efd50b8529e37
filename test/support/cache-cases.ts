import { lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { removeFolder } from "../../src/workspace/files/remove-folder.ts";
import { agentEnvironment, type GuardedRepository, guardedRepository } from "./guarded-repository.ts";
import { homeFolder } from "./home-folder.ts";
import { type LocalRegistry, localRegistry } from "./local-registry.ts";
import type { PackageManager } from "./package-managers.ts";
import { startProgram } from "./run-command.ts";
import { replacedCommand } from "./sandboxed-call.ts";

const home = homedir();

/** A person with a home of their own, and a guarded repository in it. */
export interface PersonsHome extends Disposable {
  readonly path: string;
  readonly repository: GuardedRepository;
  write(file: string, text: string): void;
  /** Runs the command as the person, or with the environment of a client's shell. */
  run(command: string, cwd: string): Promise<{ status: number | null; stdout: string; stderr: string }>;
}

export function personsHome(bin: readonly string[] = []): PersonsHome {
  const path = realpathSync(mkdtempSync(join(homeFolder(), "lockstep-home-")));
  vi.stubEnv("HOME", path);
  vi.stubEnv("XDG_STATE_HOME", undefined);
  const env = toolEnvironment(path, bin);
  const words = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return {
    path,
    repository: guardedRepository(),
    write: (file, text) => {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), text);
    },
    run: (command, cwd) => startProgram(["env", "-i", ...words, "bash", "-c", command], { cwd }).ended,
    [Symbol.dispose]: () => {
      vi.unstubAllEnvs();
      removeFolder(path);
    },
  };
}

/** Tool chains may be in the real home. Yarn uses another home for root, unless HOME is a fake one. */
export function toolEnvironment(path: string, bin: readonly string[] = []): Record<string, string> {
  const { PATH = "", RUSTUP_HOME = join(home, ".rustup"), PYENV_ROOT = join(home, ".pyenv") } = process.env;
  const tools = { RUSTUP_HOME, PYENV_ROOT, FAKEROOTKEY: "1" };
  return { HOME: path, PATH: [...bin, PATH].join(":"), LANG: "C.UTF-8", ...tools };
}

/** Package managers as an agent runs them inside its lock, with an empty and with a filled cache of the person. */
export function cacheCases(managers: readonly PackageManager[], bin: readonly string[] = []): void {
  describe.each(managers)("$name inside the lock", { timeout: 180_000 }, (manager) => {
    let person: PersonsHome;
    let registry: LocalRegistry;
    let env: Readonly<Record<string, string>>;
    beforeEach(async () => {
      registry = await localRegistry();
      person = personsHome(bin);
      const { repository } = person;
      for (const [file, text] of Object.entries(manager.settings(registry.url))) person.write(file, text);
      for (const [file, text] of Object.entries(manager.project)) {
        repository.write(`src/a/p/${file}`, text);
        person.write(`own/p/${file}`, text);
      }
      repository.write(".gitignore", `${manager.output.join("\n")}\n`);
      repository.git("add", "-A");
      repository.git("commit", "-qm", "project");
      env = agentEnvironment(await repository.dispatch("T-A", ["src/a/**"]));
    });
    afterEach(async () => {
      person[Symbol.dispose]();
      await registry[Symbol.asyncDispose]();
    });

    const asAgent = async (command: string) => {
      const { repository } = person;
      return person.run(await replacedCommand(repository, command, env), repository.path);
    };
    const work = `cd src/a/p && ${manager.command}`;
    const again = `cd src/a/p && rm -rf ${manager.output.join(" ")} && ${manager.command}`;

    it("works with an empty cache, finds its own again, and changes nothing of the person's", async () => {
      const before = filesBelow(person.path);
      const first = await asAgent(work);
      expect(first.stdout, first.stderr).toBe("tiny\n");
      expect(registry.fetched()).toHaveLength(1);
      const second = await asAgent(again);
      expect(second.stdout, second.stderr).toBe("tiny\n");
      expect(registry.fetched()).toEqual([]);
      expect(changedOf(before, person, [])).toEqual([]);
    });

    it("works with the person's filled cache", async () => {
      const own = await person.run(manager.command, join(person.path, "own/p"));
      expect(own.stdout, own.stderr).toBe("tiny\n");
      expect(registry.fetched()).toHaveLength(1);
      const before = filesBelow(person.path);
      const ran = await asAgent(work);
      expect(ran.stdout, ran.stderr).toBe("tiny\n");
      expect(registry.fetched()).toEqual([]);
      expect(changedOf(before, person, manager.caches)).toEqual([]);
    });
  });
}

/** The changed files of the home, except the lock, Lockstep's own folders and these caches. */
function changedOf(
  before: ReadonlyMap<string, string>,
  { path, repository }: PersonsHome,
  caches: readonly string[],
): readonly string[] {
  const own = repository.path.slice(path.length + 1);
  const open = [`${own}/src/a`, `${own}/.git`, ".local/state/lockstep", ...caches];
  const after = filesBelow(path);
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((file) => before.get(file) !== after.get(file))
    .filter(
      (file) => !open.some((one) => `${file}/`.startsWith(`${one}/`) || `${one}/`.startsWith(`${file}/`)),
    );
}

function filesBelow(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return new Map(
    names.map((name) => {
      const { ino, mtimeMs, size, mode } = lstatSync(join(folder, name));
      const isFolder = (mode & 0o170000) === 0o040000;
      return [name, isFolder ? "a folder" : [ino, mtimeMs, size, mode].join(" ")];
    }),
  );
}
