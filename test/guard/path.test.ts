import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { clientSocket } from "../../src/guard/transport/client-socket.ts";
import { hookText } from "../../src/guard/transport/hook-file.ts";
import { hookLine } from "../../src/guard/transport/hook-line.ts";
import { hookFile } from "../../src/guard/transport/launch-file.ts";
import { readMachine } from "../../src/guard/transport/ways-to-ask.ts";
import {
  agentEnvironment,
  type GuardedRepository,
  guardedRepository,
} from "../support/guarded-repository.ts";
import { startProgram } from "../support/run-command.ts";
import { missing } from "../support/sandboxed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe.skipIf(missing)("a folder of the project that is first on PATH", () => {
  let repository: GuardedRepository;
  let env: Readonly<Record<string, string>>;

  beforeEach(async () => {
    repository = guardedRepository();
    repository.write(".gitignore", ".venv\n");
    repository.git("config", "user.name", "t");
    repository.git("config", "user.email", "t@localhost");
    repository.git("add", "-A");
    repository.git("commit", "-qm", "ignored");
    const own = await repository.dispatch("T-A", ["src/a/**"]);
    env = { ...agentEnvironment(own), PATH: `${repository.path}/.venv/bin:${process.env.PATH}` };
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    repository[Symbol.dispose]();
  });

  const at = (path: string) => join(repository.path, path);
  const planted = "#!/bin/sh\necho bad > docs/guide.md; touch .git/planted; exit 0\n";
  function plant(name: string): void {
    chmodSync(repository.write(`.venv/bin/${name}`, planted), 0o755);
  }

  /** Runs a call that the guard has seen, as a client's shell does. */
  async function ran(command: string) {
    const payload = {
      ...{ session_id: "s1", cwd: repository.path, hook_event_name: "PreToolUse", tool_use_id: "t1" },
      ...{ permission_mode: "bypassPermissions", tool_name: "Bash", tool_input: { command } },
    };
    const { exit, stdout, stderr } = await repository.guard(payload, { env });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    const text = stdout === "" ? command : JSON.parse(stdout).hookSpecificOutput.updatedInput.command;
    return spawnSync("bash", ["-c", text], {
      cwd: repository.path,
      encoding: "utf8",
      env: { ...process.env, ...env },
    });
  }

  function expectUntouched(): void {
    expect(readFileSync(at("docs/guide.md"), "utf8")).toBe("x\n");
    expect(existsSync(at(".git/planted"))).toBe(false);
  }

  it.each(["ls src", "git status", "cat README.md", "ssh host", "grep x README.md"])(
    "gives its programs no more rights than the lock: %s",
    async (command) => {
      plant(command.split(" ")[0] ?? "");
      await ran(command);
      expectUntouched();
    },
  );

  it("leaves `kill` to the shell, whose builtin does not search PATH", async () => {
    mkdirSync(at(".venv/bin"), { recursive: true });
    plant("kill");
    const { stdout } = await ran(
      "node -e 'setTimeout(() => {}, 20_000)' & own=$!; node -e 1; kill $own; wait $own; echo $?",
    );
    expect(stdout).toBe("143\n");
    await ran("echo 999999 | xargs kill; env kill 999999");
    expectUntouched();
  });

  it("gives none to a program that the same command created there", async () => {
    repository.write(
      "plant.sh",
      `for p in ls git; do printf '${planted.replaceAll("\n", "\\n")}' > .venv/bin/$p; chmod +x .venv/bin/$p; done\n`,
    );
    mkdirSync(at(".venv/bin"), { recursive: true });
    repository.write("src/a/x.ts", "2\n");
    await ran("sh plant.sh && ls && git commit -qm more -- src/a/x.ts");
    expect(existsSync(at(".venv/bin/git"))).toBe(true);
    expect(repository.git("log", "-1", "--format=%s")).toBe("more");
    expectUntouched();
  });

  it("is not searched for Lockstep's own git and bubblewrap", async () => {
    plant("git");
    plant("bwrap");
    vi.stubEnv("PATH", env.PATH ?? "");
    const { status } = await ran("node -e 1");
    expect(status).toBe(0);
    expectUntouched();
  });
});

describe.skipIf(!readMachine().netcat)("a hook that uses `nc`", () => {
  it.each([
    ["a folder of the project", "PROJECT/.venv/bin:/usr/bin:/bin", true],
    ["a relative one", "/usr/bin:/bin:node_modules/.bin", true],
    ["an empty one", "/usr/bin:/bin:", true],
    ["one that others may write", "/tmp/x:/usr/bin:/bin", true],
    ["folders of the system alone", "/usr/bin:/bin", false],
    ["a folder with the same ending", "/optPROJECT/bin:/usr/bin:/bin", false],
  ])("passes PATH on if it matters: %s", async (_name, path, isPassed) => {
    using folder = temporaryFolder();
    const project = join(folder.path, "project");
    const state = join(project, ".git/lockstep");
    mkdirSync(state, { recursive: true });
    writeFileSync(hookFile(state), hookText({ netcat: true }));
    const socket = join(folder.path, "s");
    writeFileSync(join(state, "listening"), `${socket}\n1\n`);
    const received: string[] = [];
    const servers = [socket, clientSocket(socket, "claude")].map((at) =>
      createServer({ allowHalfOpen: true }, (connection) => {
        connection.on("data", (chunk) => received.push(String(chunk)));
        connection.on("end", () => connection.end("lockstep/1 0@@@@@@end"));
      }).listen(at),
    );
    const PATH = path.replaceAll("PROJECT", project);
    const env = { PATH, TMPDIR: "" };
    const { status } = await startProgram(["/bin/sh", "-c", hookLine("claude")], {
      cwd: project,
      env,
      input: "{}",
    }).ended;
    for (const server of servers) server.close();
    expect(status).toBe(0);
    expect(received.join("").includes(`\nPATH=${PATH}\n`)).toBe(isPassed);
    expect(received.join("")).toContain("{}");
  });
});
