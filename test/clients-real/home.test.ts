import { execFile, execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/run-command.ts";
import { missing as noSandbox } from "../support/sandboxed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { clientRepository, fileTask, report } from "./support/client-repository.ts";
import { installClient } from "./support/install-client.ts";
import type { Turn } from "./support/stand-in.ts";
import { triedClients } from "./support/tried-clients.ts";

const planted = "planted-by-the-agent";
/** Some clients take long to start. */
const msMax = 500_000;

describe.skipIf(noSandbox !== undefined).each(triedClients)("the home of a person whose $name", (client) => {
  async function opened(turns: readonly Turn[]) {
    const { bin, missing } = await installClient(client.name, ...client.pack);
    if (missing !== undefined) return undefined;
    const server = await client.standIn(turns);
    const { model } = client;
    const repository = clientRepository({
      agentConfig: `{ adapter: ${client.name}, role: Coder${model === undefined ? "" : `, model: ${model}`} }`,
      ...{ tasks: [fileTask("A")], config: "sandbox: required\n", env: client.env(server.url), bin },
    });
    for (const [file, text] of Object.entries(client.files(server.url))) repository.home.write(file, text);
    const asks = async (words: readonly string[], cwd: string) => {
      const [program = "", ...rest] = words;
      const env = {
        ...{ PATH: `${bin}:${process.env.PATH}`, HOME: repository.home.path, LANG: "C.UTF-8" },
        ...client.env(server.url),
      };
      const asked = promisify(execFile)(program, rest, { cwd, env, timeout: msMax });
      asked.child.stdin?.end();
      await asked;
    };
    return { server, repository, asks };
  }

  it("works in `run` contains nothing that the agent planted, and neither does the next conversation", async () => {
    const plant = client.obeys.map((path) => {
      const file = `~/${client.folder}/${path}`;
      return `mkdir -p ${dirname(file)}; echo ${planted} >> ${file}; ln -s ~/.bashrc ${file}-link`;
    });
    const all = await opened([
      { calls: [client.shell(`(${plant.join("; ")}) 2>/dev/null; echo made > A.txt`)] },
      { text: report() },
      { text: "Hello." },
    ]);
    if (all === undefined) return;
    await using server = all.server;
    using repository = all.repository;
    const { status, stderr } = await repository.run();
    expect(status, stderr).toBe(0);
    const home = repository.home.path;
    const found = execFileSync(
      "sh",
      [
        ...[
          "-c",
          `find . -path ./.local/state/lockstep -prune -o -type l -print; grep -rlE '${planted}' . || true`,
        ],
      ],
      { cwd: home, encoding: "utf8" },
    );
    const own = (path: string) => !path.startsWith("./.local/state/lockstep") && !path.includes("/.cache/");
    expect(found.split("\n").filter((path) => path !== "" && own(path))).toEqual([]);
    using elsewhere = temporaryFolder({ "a.txt": "" });
    execFileSync("git", ["init", "-q"], { cwd: elsewhere.path });
    await all.asks(client.asks("good day"), elsewhere.path);
    expect(server.prompts().at(-1)).toContain("good day");
    expect(server.prompts().at(-1)).not.toContain(planted);
  });

  it("worked in a task that the person takes over contains the conversation, which continues there", async () => {
    const all = await opened([
      { text: "FIRST WORD", calls: [client.shell("touch first")] },
      { calls: [client.shell("touch second; sleep 100")] },
      { text: "I am back.", calls: [client.shell("touch allowed")] },
      { text: "Done." },
    ]);
    if (all === undefined) return;
    await using server = all.server;
    using repository = all.repository;
    using running = repository.start("run", "--json");
    const shown = async () => JSON.parse((await repository.lockstep("task", "show", "A", "--json")).stdout);
    const tree = join(repository.home.path, ".local/state/lockstep");
    const fileOf = (name: string) =>
      existsSync(tree)
        ? execFileSync("find", [tree, "-name", name, "-path", "*/tree/*"], { encoding: "utf8" }).trim()
        : "";
    const second = await eventually("the agent works", () => fileOf("second") || undefined, msMax);
    const { mtimeMs } = statSync(fileOf("first"));
    const isReported = async () => Date.parse((await shown()).alive.last_heartbeat_at) > mtimeMs;
    await eventually("its conversation is known", async () => (await isReported()) || undefined, msMax);
    const taken = await repository.lockstep("take", "A", "--json");
    await running.ended;
    const { details } = JSON.parse(taken.stdout) as { details: { folder: string; resume?: string[] } };
    expect(details, taken.stdout).toMatchObject({ folder: join(second, ".."), resume: expect.anything() });
    const id = details.resume?.at(-1)?.replace("--resume=", "");
    const before = server.prompts().length;
    await all.asks(client.asks("I continue", id), details.folder);
    const last = server.prompts()[before] ?? "";
    expect(last).toContain("FIRST WORD");
    expect(last).toContain("I continue");
    // The agent's permissions in its sandbox do not apply here.
    expect(existsSync(join(details.folder, "allowed"))).toBe(false);
  });
});
