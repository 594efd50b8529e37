import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  agentEnvironment,
  type GuardedRepository,
  guardedRepository,
} from "../support/guarded-repository.ts";
import { type CommandOptions, eventually, startProgram } from "../support/run-command.ts";
import { lockstepWords } from "../support/run-hook.ts";
import { missing } from "../support/sandboxed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let repository: GuardedRepository;
beforeEach(() => {
  repository = guardedRepository();
});
afterEach(() => repository[Symbol.dispose]());

const lockstep = (words: readonly string[], options: CommandOptions = {}) =>
  startProgram([...lockstepWords, ...words], { cwd: repository.path, ...options }).ended;
const has = (path: string) => existsSync(join(repository.path, path));

describe.skipIf(missing)("`lockstep exec TASK -- COMMAND…`", () => {
  it("runs the command with its input, output and exit code, and everything outside the lock is read-only", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    const script = 'cat; echo x > src/a/new.ts; echo x > docs/new.md; echo "-$1-"; exit 7';
    const ran = await lockstep(["exec", "T-A", "--", "sh", "-c", script, "sh", "a  b"], { input: "in\n" });
    expect(ran).toMatchObject({ status: 7, stdout: "in\n-a  b-\n" });
    expect(ran.stderr).toMatch(/read-only file system/i);
    expect([has("src/a/new.ts"), has("docs/new.md")]).toEqual([true, false]);
  });

  it("exits as the command does: by a signal, or because it does not exist", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    expect((await lockstep(["exec", "T-A", "--", "sh", "-c", "kill $$"])).status).toBe(143);
    expect((await lockstep(["exec", "T-A", "--", "no-such-program"])).status).toBe(127);
  });

  it("forwards signals, and then exits as the command does", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    const script = "trap 'echo got it; exit 9' TERM; echo ready; while :; do sleep 0.1; done";
    const words = [...lockstepWords, "exec", "T-A", "--", "sh", "-c", script];
    using running = startProgram(words, { cwd: repository.path });
    await eventually("a ready program", () => running.lines().includes("ready") || undefined);
    running.process.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ status: 9, stdout: "ready\ngot it\n" });
  });

  it("is refused for a task without a lock, and for an unknown task", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    await repository.run("task", "add", "T-B", "--scope", "src/b");
    const waiting = await lockstep(["exec", "T-B", "--", "true"]);
    expect(waiting).toMatchObject({ status: 2, stdout: "" });
    expect(waiting.stderr).toContain("task `T-B` holds no lock: it is PENDING");
    expect((await lockstep(["exec", "T-C", "--", "true"])).status).toBe(2);
  });

  it("is refused to agents: an agent gets no sandbox of another task", async () => {
    const own = await repository.dispatch("T-A", ["src/a/**"]);
    await repository.dispatch("T-B", ["src/b/**"]);
    const words = ["exec", "T-B", "--", "touch", "src/b/new.ts"];
    const ran = await lockstep(words, { env: agentEnvironment(own) });
    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain("only a person may run `lockstep exec`");
    expect(has("src/b/new.ts")).toBe(false);
  });
});

/** A home with a version manager, whose shim finds the program through the manager's own files. */
interface Manager {
  readonly name: string;
  readonly program: string;
  /** Folders below the home, in the order of PATH. */
  readonly folders: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  /** Variables whose values are paths below the home. */
  readonly env?: Readonly<Record<string, string>>;
}

const tool = (name: string) => `#!/bin/sh\necho "${name} of the version manager: $1"\n`;

/** pyenv, rbenv and nodenv: the shim calls the manager, which reads `version`. */
const family = (name: string, program: string, root = `.${name}`): Manager => ({
  name: `${name} in ~/${root}`,
  program,
  folders: [`${root}/shims`],
  files: {
    [`${root}/shims/${program}`]: `#!/bin/sh\nexec "$HOME/${root}/libexec/${name}" exec ${program} "$@"\n`,
    [`${root}/libexec/${name}`]: `#!/bin/sh\nroot=$HOME/${root}\nread -r version <"$root/version" || exit 1\nprogram=$2; shift 2\nexec "$root/versions/$version/bin/$program" "$@"\n`,
    [`${root}/version`]: "1.2.3\n",
    [`${root}/versions/1.2.3/bin/${program}`]: tool(program),
  },
  ...(root === `.${name}` ? {} : { env: { [`${name.toUpperCase()}_ROOT`]: root } }),
});

const asdf: Manager = {
  name: "asdf",
  program: "node",
  folders: [".asdf/shims", ".asdf/bin"],
  files: {
    ".asdf/shims/node": '#!/bin/sh\nexec asdf exec node "$@"\n',
    ".asdf/bin/asdf": `#!/bin/sh\nread -r _ version <"$HOME/.tool-versions" || exit 126\nprogram=$2; shift 2\nexec "$HOME/.asdf/installs/nodejs/$version/bin/$program" "$@"\n`,
    ".asdf/installs/nodejs/22.1.0/bin/node": tool("node"),
    ".tool-versions": "nodejs 22.1.0\n",
  },
};

const mise: Manager = {
  name: "mise",
  program: "python",
  folders: [".local/share/mise/shims"],
  files: {
    ".local/bin/mise": `#!/bin/sh\nwhile IFS=' =' read -r name version; do [ "$name" != python ] || break; done <"$HOME/.config/mise/config.toml" || exit 1\nexec "$HOME/.local/share/mise/installs/python/$version/bin/\${0##*/}" "$@"\n`,
    ".config/mise/config.toml": "[tools]\npython = 3.12\n",
    ".local/share/mise/installs/python/3.12/bin/python": tool("python"),
  },
  links: { ".local/share/mise/shims/python": ".local/bin/mise" },
};

const managers = [
  family("pyenv", "python"),
  family("pyenv", "python", ".local/share/pyenv"),
  family("rbenv", "ruby"),
  family("nodenv", "node"),
  asdf,
  mise,
];

describe.skipIf(missing)("a program that is called through the shim of a version manager", () => {
  it.each(managers)(
    "works in the sandbox: $name",
    async ({ program, folders, files, links = {}, env = {} }) => {
      using home = temporaryFolder();
      for (const [path, text] of Object.entries(files)) chmodSync(home.write(path, text), 0o755);
      for (const [path, target] of Object.entries(links)) {
        mkdirSync(dirname(join(home.path, path)), { recursive: true });
        symlinkSync(join(home.path, target), join(home.path, path));
      }
      const below = (path: string) => join(home.path, path);
      const variables = {
        HOME: home.path,
        PATH: [...folders.map(below), process.env.PATH].join(":"),
        ...Object.fromEntries(Object.entries(env).map(([name, path]) => [name, below(path)])),
      };
      await repository.dispatch("T-A", ["src/a/**"]);
      const said = `${program} of the version manager: hello\n`;
      expect(await lockstep(["exec", "T-A", "--", program, "hello"], { env: variables })).toMatchObject({
        status: 0,
        stdout: said,
        stderr: "",
      });
    },
  );
});

describe("`lockstep exec` without bubblewrap", () => {
  it("runs nothing, and prints the reason", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    using programs = temporaryFolder();
    const PATH = programs.path;
    const git = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
    execFileSync("ln", ["-s", git, join(PATH, "git")]);
    const ran = await lockstep(["exec", "T-A", "--", "touch", "src/a/new.ts"], { env: { PATH } });
    expect(ran.status).toBe(2);
    expect(ran.stderr).toMatch(/there is no sandbox here: .*bubblewrap/);
    expect(has("src/a/new.ts")).toBe(false);
  });
});
