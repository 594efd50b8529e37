import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { packet, result } from "../support/memory-engine.ts";
import { rawExchange } from "../support/raw-exchange.ts";
import {
  type CommandOptions,
  eventually,
  type Repository,
  startProgram,
  temporaryRepository,
  verdictIn,
} from "../support/run-command.ts";
import { command, lockstepWords } from "../support/run-hook.ts";
import { missing, sandboxed, settings } from "../support/sandboxed.ts";

const product = fileURLToPath(new URL("../..", import.meta.url));
const hostProgram = join(product, "test/support/host-process.ts");

function startHost(cwd: string, through: readonly string[] = []) {
  const host = startProgram([process.execPath, hostProgram], { cwd, through });
  const socketPath = () =>
    eventually("the path of the host's socket", () => {
      if (host.process.exitCode !== null) throw new Error(`the host ended: ${host.errors()}`);
      return host.lines()[0];
    });
  return { ...host, socketPath };
}

function lockstep(cwd: string, words: readonly string[], options: CommandOptions = {}) {
  return startProgram([...lockstepWords, ...words], { cwd, ...options }).ended;
}

interface Agent extends Readonly<Record<string, string>> {
  readonly LOCKSTEP_SOCKET: string;
  readonly LOCKSTEP_TASK: string;
  readonly LOCKSTEP_EPOCH: string;
  readonly LOCKSTEP_TOKEN: string;
}

/** A task in progress, and the environment of its agent. */
async function startTask(
  cwd: string,
  { task = "T-1", scope = "src", socket, through = [] }: StartOptions,
): Promise<Agent> {
  const document = JSON.stringify(packet(task, [scope]));
  const { details } = verdictIn(await lockstep(cwd, ["dispatch"], { input: document, through }));
  return {
    LOCKSTEP_SOCKET: socket,
    LOCKSTEP_TASK: task,
    LOCKSTEP_EPOCH: String(details?.epoch),
    LOCKSTEP_TOKEN: String(details?.token),
  };
}

interface StartOptions {
  readonly task?: string;
  readonly scope?: string;
  readonly socket: string;
  readonly through?: readonly string[];
}

const stateFolder = (repository: Repository) => join(repository.path, ".git", "lockstep");

describe("hosts of one repository", () => {
  it("end up as one: of twenty that start at once by different paths one stays, and the next replaces a killed one", async () => {
    using repository = temporaryRepository({ "src/a.ts": "" });
    symlinkSync(repository.path, `${repository.path}-link`);
    try {
      const paths = [repository.path, `${repository.path}-link`, join(repository.path, "src")];
      const hosts = Array.from({ length: 20 }, (_, index) => startHost(paths[index % 3] ?? ""));
      try {
        const said = await Promise.all(
          hosts.map((host) => eventually("output from each", () => host.lines()[0])),
        );
        const winner = hosts.find((_, index) => said[index] === join(stateFolder(repository), "socket"));
        const others = said.filter((line) => line.includes(`already running pid ${winner?.process.pid}:`));
        expect(others).toHaveLength(19);
        winner?.process.kill("SIGKILL");
        await winner?.ended;
        using next = startHost(repository.path);
        const socket = await next.socketPath();
        expect(JSON.parse(await rawExchange(socket, "x\n"))).toMatchObject({ code: "R-IN-001" });
      } finally {
        for (const host of hosts) host[Symbol.dispose]();
      }
    } finally {
      rmSync(`${repository.path}-link`);
    }
  });

  it("remove the files of a killed one from a short folder", async () => {
    using repository = temporaryRepository();
    const deep = join(repository.path, "d".repeat(110));
    mkdirSync(deep);
    repository.git("init", "-q", deep);
    using first = startHost(deep);
    const left = await first.socketPath();
    expect(Buffer.byteLength(left)).toBeLessThanOrEqual(107);
    first.process.kill("SIGKILL");
    await first.ended;
    expect(existsSync(left)).toBe(true);
    using second = startHost(deep);
    const socket = await second.socketPath();
    expect(existsSync(join(left, ".."))).toBe(false);
    second.process.kill("SIGTERM");
    expect(await second.ended).toMatchObject({ status: 0 });
    expect(existsSync(join(socket, ".."))).toBe(false);
  });

  it("end on a signal after all confirmed requests are stored, and leave no socket", async () => {
    using repository = temporaryRepository();
    using host = startHost(repository.path);
    const agent = await startTask(repository.path, { socket: await host.socketPath() });
    const call = { task: "T-1", epoch: Number(agent.LOCKSTEP_EPOCH), token: agent.LOCKSTEP_TOKEN };
    const request = { version: 1, operation: "heartbeat", input: { task: "T-1", tokens: 1 }, call };
    const line = `${JSON.stringify(request)}\n`;
    let acknowledged = 0;
    let over = false;
    const beating = Array.from({ length: 8 }, async () => {
      while (!over) {
        // Later requests find no host, or their connection is closed.
        const answer = await rawExchange(agent.LOCKSTEP_SOCKET, line).catch(() => "");
        if (answer === "") return;
        expect(JSON.parse(answer)).toMatchObject({ allow: true });
        acknowledged += 1;
      }
    });
    await eventually("some are answered", () => (acknowledged > 50 ? true : undefined));
    const started = performance.now();
    host.process.kill("SIGTERM");
    expect(await host.ended).toMatchObject({ status: 0, stderr: "" });
    expect(performance.now() - started).toBeLessThan(3000);
    over = true;
    await Promise.all(beating);
    const { stdout } = await lockstep(repository.path, ["status", "--json"]);
    const { tokens } = JSON.parse(stdout).tasks[0].usage;
    expect(tokens).toBeGreaterThanOrEqual(acknowledged);
    expect(tokens).toBeLessThanOrEqual(acknowledged + 8);
    expect(readdirSync(stateFolder(repository))).not.toContain("socket");
    expect(verdictIn(await lockstep(repository.path, ["heartbeat", "T-1"], { env: agent }))).toMatchObject({
      code: "E-STORE",
    });
  });

  it("continue after clients that are killed at any point, and keep no descriptor of theirs", async () => {
    using repository = temporaryRepository();
    using host = startHost(repository.path);
    const socket = await host.socketPath();
    const agent = await startTask(repository.path, { socket });
    const descriptors = () => readdirSync(`/proc/${host.process.pid}/fd`).length;
    const before = descriptors();
    const call = { task: "T-1", epoch: Number(agent.LOCKSTEP_EPOCH), token: agent.LOCKSTEP_TOKEN };
    const line = `${JSON.stringify({ version: 1, operation: "heartbeat", input: { task: "T-1" }, call })}\n`;
    for (const sent of ["", line.slice(0, 40), line]) {
      const code = `require("net").connect(${JSON.stringify(socket)}, function () { this.write(${JSON.stringify(sent)}, () => process.kill(process.pid, "SIGKILL")) })`;
      using client = startProgram([process.execPath, "-e", code], { cwd: "/" });
      expect((await client.ended).signal).toBe("SIGKILL");
    }
    await eventually("all descriptors closed", () => (descriptors() <= before ? true : undefined));
    expect(verdictIn(await lockstep(repository.path, ["heartbeat", "T-1"], { env: agent })).allow).toBe(true);
  });
});

describe("with LOCKSTEP_SOCKET set,", () => {
  it("the commands of an agent with a task go through the host, from any folder", async () => {
    using repository = temporaryRepository();
    using elsewhere = temporaryRepository();
    using host = startHost(repository.path);
    const env = await startTask(repository.path, { socket: await host.socketPath() });
    await startTask(repository.path, { task: "T-2", scope: "docs", socket: env.LOCKSTEP_SOCKET });
    const run = (words: string[], options: CommandOptions = {}) =>
      lockstep(elsewhere.path, words, { ...options, env: { ...env, ...options.env } });
    expect(verdictIn(await run(["heartbeat", "T-1", "--tokens", "3"]))).toMatchObject({
      details: { tokens: 3 },
    });
    expect(await run(["widen", "T-1", "lib", "--why", "it is called"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("a person decides"),
    });
    expect(JSON.parse((await run(["status", "--json"])).stdout).tasks).toHaveLength(2);
    expect(await run(["task", "show", "T-9"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("there is no task"),
    });
    expect(await run(["explain", "touch src/a"])).toMatchObject({ status: 0 });
    const stale = { env: { LOCKSTEP_EPOCH: "0" } };
    expect(verdictIn(await run(["heartbeat", "T-1"], stale))).toMatchObject({ code: "R-LS-001" });
    expect(verdictIn(await run(["heartbeat", "T-2"]))).toMatchObject({ code: "R-AU-001" });
    repository.write("worklogs/T-1.md", "worked\n");
    const handedIn = await run(["submit", "T-1"], { input: JSON.stringify(result("T-1")) });
    expect(verdictIn(handedIn)).toMatchObject({ allow: true, details: { state: "REVIEW" } });
    expect(readdirSync(join(elsewhere.path, ".git"))).not.toContain("lockstep");
  });

  it("an agent can escalate its task", async () => {
    using repository = temporaryRepository();
    using host = startHost(repository.path);
    const env = await startTask(repository.path, { socket: await host.socketPath() });
    const run = await lockstep(repository.path, ["task", "escalate", "T-1", "--reason", "stuck"], { env });
    expect(run).toMatchObject({ status: 0, stdout: "task T-1 is ESCALATED\n" });
  });

  /** Commands that open the ledger themselves, and commands that ask for an operation. */
  const opening = [
    ["land", "topic"],
    ["rollback", "task", "T-1"],
    ["watchdog", "--every", "1"],
    ["reconcile", "--accept-loss"],
    ["stop-all"],
    ["explain", "touch a", "--task", "T-1"],
  ];
  const asking = [
    ["watchdog"],
    ["reconcile"],
    ["clear"],
    ["decide"],
    ["decide", "UD-1", "approved"],
    ["dispatch"],
    ["complete", "T-1"],
    ["release", "T-1"],
    ["lock", "list"],
    ["audit", "export"],
    ["task", "add", "T-3"],
    ["task", "cancel", "T-1", "--reason", "x"],
  ];

  it("every other command is refused, with a task and without, and the ledger does not change", async () => {
    using repository = temporaryRepository();
    using host = startHost(repository.path);
    const env = await startTask(repository.path, { socket: await host.socketPath() });
    const audit = async () => (await lockstep(repository.path, ["audit", "list", "--json"])).stdout;
    const before = await audit();
    const refuse = async (words: readonly string[], as: Readonly<Record<string, string>>) =>
      expect(await lockstep(repository.path, words, { env: as, input: "{}" }), words.join(" ")).toMatchObject(
        {
          status: 2,
          stderr: expect.stringMatching(/^lockstep: R-AU-001: ./),
        },
      );
    const { LOCKSTEP_SOCKET } = env;
    for (const words of opening) await Promise.all([refuse(words, env), refuse(words, { LOCKSTEP_SOCKET })]);
    for (const words of asking) await refuse(words, env);
    await refuse(["release", "T-1"], { LOCKSTEP_SOCKET });
    expect(await audit()).toBe(before);
    expect(readdirSync(stateFolder(repository))).not.toContain("STOP_ALL");
  });

  it("a hook does not read missing payload fields from the ledger", async () => {
    using repository = temporaryRepository();
    const dispatched = await lockstep(repository.path, ["dispatch"], {
      input: JSON.stringify(packet("T-1", ["src"])),
    });
    expect(dispatched.status).toBe(0);
    const judge = (env: Record<string, string>) =>
      startProgram([...lockstepWords, "hook", "PreDispatch"], {
        cwd: repository.path,
        input: JSON.stringify(packet("T-2", ["docs"])),
        env,
      }).ended;
    expect(verdictIn(await judge({}))).toMatchObject({ allow: true });
    expect(verdictIn(await judge({ LOCKSTEP_SOCKET: "/nowhere" }))).toMatchObject({ code: "R-PD-001" });
  });

  it.each(["heartbeat T-1", "status --json", "widen T-1 a --why b --json"])(
    "`%s` is denied if there is no host",
    async (line) => {
      using repository = temporaryRepository();
      const env = {
        LOCKSTEP_SOCKET: join(repository.path, "none"),
        LOCKSTEP_TASK: "T-1",
        LOCKSTEP_EPOCH: "1",
      };
      const run = await lockstep(repository.path, line.split(" "), { env });
      expect(run).toMatchObject({ status: 2, stderr: expect.stringMatching(/nothing is listening there/) });
      expect(verdictIn(run)).toMatchObject({ allow: false, code: "E-STORE" });
    },
  );

  it("a command waits two seconds for a host that is stopped", async () => {
    using repository = temporaryRepository();
    using host = startHost(repository.path);
    const env = await startTask(repository.path, { socket: await host.socketPath() });
    host.process.kill("SIGSTOP");
    const run = await lockstep(repository.path, ["heartbeat", "T-1"], { env });
    expect(run.status).toBe(2);
    expect(verdictIn(run)).toMatchObject({
      code: "E-STORE",
      reason: expect.stringContaining("timeout after 2 s"),
    });
    host.process.kill("SIGCONT");
    expect(verdictIn(await lockstep(repository.path, ["heartbeat", "T-1"], { env })).allow).toBe(true);
  });
});

/** A path that is too long for a socket. */
const atLongPath = settings.slice(0, 1).map((setting) => ({
  ...setting,
  where: "at a long path",
  layout: { ...setting.layout, main: `home/${"d".repeat(100)}/main` },
}));

describe.skipIf(missing !== undefined).each([...settings, ...atLongPath])(
  "in the sandbox of $user $where,",
  (setting) => {
    it("an agent sends heartbeats and widens through the socket, and cannot reach the ledger", async () => {
      using box = sandboxed(setting);
      const { through } = setting;
      const ledger = box.place("main/.git/lockstep");
      rmSync(ledger, { recursive: true });
      using host = startHost(box.place("main"), through);
      const socket = await host.socketPath();
      const agent = await startTask(box.place("main"), { socket, through });
      const inside = async (script: string) => {
        const { command, env } = box.wrapped(["sh", "-c", script], {
          socket,
          readOnly: [...box.policy.readOnly, product],
        });
        const [program = "", ...words] = command;
        return startProgram([program, ...words], { cwd: "/", env: { ...env, ...agent } }).ended;
      };
      const cli = `'${process.execPath}' '${command}'`;
      expect(verdictIn(await inside(`${cli} heartbeat T-1`))).toMatchObject({ allow: true });
      expect(verdictIn(await inside(`${cli} widen T-1 lib --why needed --json`))).toMatchObject({
        allow: true,
        details: { decision: expect.stringMatching(/^UD-/) },
      });
      expect(JSON.parse((await inside(`${cli} status --json`)).stdout).tasks).toHaveLength(1);
      expect(readdirSync(ledger)).toContain("state.db");
      const shown = socket.startsWith(ledger) ? "socket\n" : "";
      expect((await inside(`ls -A '${ledger}'`)).stdout).toBe(shown);
      expect((await inside(`cat '${ledger}/state.db'`)).status).not.toBe(0);
      expect((await inside(`rm '${socket}'`)).status).not.toBe(0);
      const stranger = await inside(`LOCKSTEP_TOKEN=x ${cli} heartbeat T-1`);
      expect(verdictIn(stranger)).toMatchObject({ code: "R-LS-001" });
      expect((await inside(`env -u LOCKSTEP_TASK ${cli} release T-1`)).status).toBe(2);
      host.process.kill("SIGTERM");
      expect(await host.ended).toMatchObject({ status: 0, stderr: "" });
    });
  },
);

const asAnother = settings.find(({ through }) => through.length > 0);

describe.skipIf(asAnother === undefined)("another user", () => {
  it("can neither connect nor pretend to be the host", async () => {
    if (asAnother === undefined) return;
    using box = sandboxed(asAnother);
    rmSync(box.place("main/.git/lockstep"), { recursive: true });
    using theirs = startHost(box.place("main"), asAnother.through);
    const env = { LOCKSTEP_SOCKET: await theirs.socketPath(), LOCKSTEP_TASK: "T-1", LOCKSTEP_EPOCH: "1" };
    expect(verdictIn(await lockstep("/", ["heartbeat", "T-1"], { env }))).toMatchObject({
      code: "E-STORE",
      reason: expect.stringContaining("it is not a socket of this user"),
    });
    using repository = temporaryRepository();
    using ours = startHost(repository.path);
    const connecting = `require("net").connect(${JSON.stringify(await ours.socketPath())}).on("error", ({ code }) => console.log(code))`;
    using stranger = startProgram([process.execPath, "-e", connecting], { cwd: "/", ...asAnother });
    expect((await stranger.ended).stdout).toBe("EACCES\n");
  });
});
