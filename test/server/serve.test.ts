import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientNames } from "../../src/contract/client-names.ts";
import { clientSocket } from "../../src/guard/transport/client-socket.ts";
import { httpHook } from "../../src/guard/transport/http-hook.ts";
import { keptReads } from "../../src/guard/world/kept-facts.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { networkFileSystem } from "../../src/workspace/files/file-system.ts";
import { readHttpAccess } from "../../src/workspace/state/http-access.ts";
import { type GuardedClone, guardedClone, read, rungs, write } from "../support/guarded-clone.ts";
import { dispatch, memoryEngine, packet } from "../support/memory-engine.ts";
import { rawExchange } from "../support/raw-exchange.ts";
import { eventually, startProgram } from "../support/run-command.ts";
import { lockstepWords } from "../support/run-hook.ts";
import { settings } from "../support/sandboxed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const clients = clientNames;

interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

interface HttpCall {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** A request as a client sends it that read its settings, except for the given changes. */
function post(clone: GuardedClone, call: HttpCall = {}): Promise<HttpAnswer> {
  const access = readHttpAccess(clone.folder);
  if (access === undefined) throw new Error("there is no access yet");
  const { method = "POST", path = "/guard/claude", body = JSON.stringify(write()) } = call;
  const all = { authorization: `Bearer ${access.token}`, ...call.headers };
  const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host: "127.0.0.1", port: access.port, method, path, headers: headers as Record<string, string> },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      },
    );
    sent.on("error", reject).end(body);
  });
}

describe("the server over HTTP", () => {
  it("returns the guard's answer as a document, and an allow without a message as an empty one", async () => {
    using clone = guardedClone();
    using _server = await clone.served();
    const allowed = await post(clone, {
      headers: { "x-lockstep-task": "T-1", "x-lockstep-role": "orchestrator", "x-lockstep-token": "" },
    });
    expect(allowed).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
    expect(JSON.parse(allowed.text).said).toMatch(/^claude T-1 orchestrator \d+$/);
    expect(Object.keys(allowed.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    const denied = await post(clone, { body: '{"x":"forbidden"}' });
    expect(denied.status).toBe(200);
    expect(JSON.parse(denied.text).reason).toMatch(/^no: /);
  });

  let clone: GuardedClone;
  beforeAll(async () => {
    clone = guardedClone();
    await clone.served();
  });
  afterAll(() => clone[Symbol.dispose]());

  it.each<[string, number, HttpCall]>([
    ["no token", 401, { headers: { authorization: undefined } }],
    ["another token", 401, { headers: { authorization: `Bearer ${"x".repeat(43)}` } }],
    ["a token without its kind", 401, { headers: { authorization: "x" } }],
    ["a web page's origin", 403, { headers: { origin: "http://127.0.0.1" } }],
    ["an origin of null", 403, { headers: { origin: "null" } }],
    ["a browser's own request", 403, { headers: { "sec-fetch-site": "none" } }],
    ["a foreign name that resolves to this host", 403, { headers: { host: "evil.example:80" } }],
    ["a host without the port", 403, { headers: { host: "127.0.0.1" } }],
    ["a preflight", 405, { method: "OPTIONS", body: "" }],
    ["a page view", 405, { method: "GET", body: "" }],
    ["another path", 404, { path: "/" }],
    ["a path with `..`", 404, { path: "/guard/../x" }],
    ["more than a megabyte", 413, { body: "x".repeat(1024 * 1024 + 1) }],
    ["a declared body length above the limit", 413, { headers: { "content-length": "2000000" }, body: "x" }],
    ["a guard that fails", 500, { body: '{"x":"fail"}' }],
  ])("refuses %s with %i, and does not allow other origins to read it", async (_what, status, call) => {
    const answer = await post(clone, call);
    expect(answer).toMatchObject({ status, text: "" });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect((await post(clone)).status).toBe(200);
  });

  it("refuses a body without a declared length when it becomes too long", async () => {
    const answer = await post(clone, {
      headers: { "transfer-encoding": "chunked" },
      body: "x".repeat(3 * 1024 * 1024),
    });
    expect(answer.status).toBe(413);
  });

  it("drops slow clients, and answers others meanwhile", async () => {
    using clone = guardedClone();
    using server = await clone.served();
    const slow = ["", "POST /guard/claude HTTP/1.1\r\nHost: 127.0.0.1\r\n"].map((start) => {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => {}).write(start);
      return new Promise<number>((resolve) => {
        const begun = performance.now();
        socket.resume().on("close", () => resolve(performance.now() - begun));
      });
    });
    expect((await post(clone)).status).toBe(200);
    for (const ms of await Promise.all(slow)) expect(ms).toBeLessThan(30_000);
  });

  it("listens on the loopback interface alone, at the same port each time", async () => {
    using clone = guardedClone();
    const ports: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      using server = await clone.served();
      ports.push(server.port);
      const hex = server.port.toString(16).toUpperCase().padStart(4, "0");
      const listening = ["tcp", "tcp6"]
        .flatMap((name) => readFileSync(`/proc/net/${name}`, "utf8").split("\n"))
        .filter((line) => line.includes(`:${hex} `) && line.includes(" 0A "));
      expect(listening).toEqual([expect.stringContaining(`0100007F:${hex}`)]);
      server.process.kill("SIGTERM");
      expect((await server.ended).status).toBe(0);
    }
    expect(ports[0]).toBe(ports[1]);
    expect(ports[0]).toBe(readHttpAccess(clone.folder)?.port);
  });

  it("works on its socket if another program has the port, and reports that at the start of a session", async () => {
    using clone = guardedClone();
    clone.install();
    const first = await clone.served();
    first.process.kill("SIGTERM");
    await first.ended;
    const squatter = createServer((_request, response) => void response.end("{}"));
    squatter.listen(first.port, "127.0.0.1");
    try {
      using server = await clone.served();
      expect(server.port).toBeUndefined();
      const start = { how: "start" } as const;
      const begin = {
        rung: rungs[0],
        payload: write("/repo/a", { hook_event_name: "SessionStart" }),
        place: start,
      };
      const idle = await clone.hook(begin);
      expect(idle).toMatchObject({ status: 0, stderr: expect.stringContaining("cannot prove that it is") });
      clone.setActive();
      expect((await clone.hook(begin)).status).toBe(2);
      server.process.kill("SIGTERM");
      await server.ended;
    } finally {
      squatter.close();
    }
    using again = await clone.served();
    expect(again.port).toBe(first.port);
  });

  it("is written into settings with the port, the token and the variables of the environment", () => {
    const hook = httpHook("claude", { port: 20_001, token: "secret" });
    expect(hook).toMatchObject({
      type: "http",
      url: "http://127.0.0.1:20001/guard/claude",
      onFailure: "block",
      timeout: 10,
      headers: { Authorization: "Bearer secret", "X-Lockstep-Task": "$LOCKSTEP_TASK" },
    });
    expect(hook.allowedEnvVars).toContain("LOCKSTEP_TOKEN");
  });
});

describe("the server on its socket", () => {
  it("answers a document with a document", async () => {
    using clone = guardedClone();
    using server = await clone.served();
    const ask = async (request: object) =>
      JSON.parse(await rawExchange(server.socket, `${JSON.stringify(request)}\n`));
    const env = { LOCKSTEP_TASK: "T-1", ANTHROPIC_API_KEY: "x" };
    expect(await ask({ version: 1, guard: "codex", env, payload: { x: 1 } })).toEqual({
      exit: 0,
      stdout: '{"said":"codex T-1 no role 7"}',
      stderr: "",
    });
    expect(await ask({ env, payload: "forbidden", guard: "codex", version: 1 })).toMatchObject({ exit: 2 });
    expect(await ask({ version: 2, guard: "codex", payload: {} })).toMatchObject({ code: "R-IN-001" });
    expect(await ask({ version: 1, guard: "codex", payload: "fail" })).toMatchObject({ code: "E-INTERNAL" });
  });

  it("is open to its user alone", async () => {
    using clone = guardedClone();
    using server = await clone.served();
    const sockets = [server.socket, ...clients.map((client) => clientSocket(server.socket, client))];
    for (const socket of sockets) expect(statSync(socket).mode & 0o777, socket).toBe(0o600);
    expect(statSync(clone.folder).mode & 0o777).toBe(0o700);
    for (const name of ["http.json", "serve.json", "listening", "launch", "hook"])
      expect(statSync(join(clone.folder, name)).mode & 0o077, name).toBe(0);
    const other = settings.find(({ through }) => through.length > 0);
    if (other === undefined) return; // only root can become another user
    for (const socket of sockets) {
      const code = `require("net").connect(${JSON.stringify(socket)}).on("error", ({ code }) => console.log(code))`;
      using stranger = startProgram([process.execPath, "-e", code], { cwd: "/", through: other.through });
      expect((await stranger.ended).stdout).toBe("EACCES\n");
    }
  });

  it.each<[string, (socket: Socket) => void]>([
    ["is slow over it", (socket) => socket.write('{"x":')],
    ["sends more than a megabyte", (socket) => socket.end(`{"x":"${"x".repeat(1024 * 1024)}"}`)],
  ])("of a client answers a bare payload, and drops a caller who %s", async (_what, send) => {
    using clone = guardedClone();
    using server = await clone.served();
    const talk = async (say: (socket: Socket) => void) => {
      const socket = connect(clientSocket(server.socket, "codex")).on("error", () => {});
      let got = "";
      socket.on("data", (piece) => {
        got += piece;
      });
      say(socket);
      await once(socket, "close");
      return got;
    };
    expect(await talk((socket) => socket.end('{"x":1}'))).toContain("codex no task no role 7");
    const begun = performance.now();
    expect(await talk(send)).toBe("");
    expect(performance.now() - begun).toBeLessThan(30_000);
  });

  it("drops a caller after two seconds without a whole request", async () => {
    using clone = guardedClone();
    using server = await clone.served();
    const begun = performance.now();
    const socket = connect(server.socket);
    socket.on("error", () => {}).write('guard/1 claude\nPWD=/\n\n{"x":1}'); // no end of the request
    let got = "";
    socket.on("data", (piece) => {
      got += piece;
    });
    await new Promise((resolve) => socket.on("close", resolve));
    expect(got).toBe("");
    expect(performance.now() - begun).toBeLessThan(30_000);
  });
});

describe.each(rungs)("a hook through %s", (rung) => {
  it("prints the guard's answer, exits with its code, and reports the caller to it", async () => {
    using clone = guardedClone();
    using _server = await clone.served();
    clone.install({ active: true });
    const allowed = await clone.hook({ rung, env: { LOCKSTEP_TASK: "T-1", CLAUDE_AGENT_ROLE: "dev" } });
    expect(allowed).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(allowed.stdout).said).toMatch(/^claude T-1 dev \d+$/);
    const denied = await clone.hook({ rung, payload: write("forbidden") });
    expect(denied.status).toBe(2);
    expect(JSON.parse(denied.stdout).reason).toMatch(/^no: a@@b 'x' "y" \$HOME `id` \\n claude no task/);
    expect(denied.stderr).toMatch(/^no: a@ ?@b 'x' "y" \$HOME `id` \\n claude no task.*\nsecond line/);
  });

  it("passes long payloads, quotes, dollars, backticks and newlines unchanged", async () => {
    using clone = guardedClone();
    using _server = await clone.served();
    clone.install();
    const payload = write(`/x/$HOME \`id\` 'a' "b" \\ E\nE\n%s`, { more: "y".repeat(500_000) });
    const run = await clone.hook({ rung, payload });
    expect(JSON.parse(run.stdout).said).toMatch(
      new RegExp(` ${Buffer.byteLength(JSON.stringify(payload))}$|\\d+$`),
    );
    expect(run.status).toBe(0);
  });

  it("allows silently if Lockstep is not installed, whatever folder it looks in", async () => {
    using clone = guardedClone();
    const silent = { status: 0, stdout: "", stderr: "" };
    const places = [{}, { otherwise: clone.folder }, { otherwise: "/nowhere/lockstep" }];
    for (const place of places) expect(await clone.hook({ rung, place })).toMatchObject(silent);
    expect(await clone.hook({ rung, place: { how: "start" } })).toMatchObject(silent);
    expect(await clone.hook({ rung, place: {}, cwd: "/" })).toMatchObject(silent);
    expect(await clone.hook({ rung, env: { CLAUDE_AGENT_ROLE: "orchestrator" } })).toMatchObject(silent);
    expect(readdirSync(join(clone.path, ".git"))).not.toContain("lockstep");
  });

  it("allows silently if nothing is active and no server runs, and starts none", async () => {
    using clone = guardedClone();
    clone.install();
    expect(await clone.hook({ rung })).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(readdirSync(clone.folder)).toEqual(["hook", "launch"]);
  });

  it("starts the server if something is active, and gets its answer", async () => {
    using clone = guardedClone();
    clone.install({ active: true });
    const run = await clone.hook({ rung, payload: write("forbidden"), env: { CLAUDE_AGENT_ROLE: "dev" } });
    expect(run).toMatchObject({ status: 2, stdout: expect.stringMatching(/"no: a|the guard could not/) });
    await eventually("a server", clone.serverPid);
    const next = await eventually("it listens", async () => {
      const asked = await clone.hook({ rung, payload: write("forbidden") });
      return asked.stdout.includes("claude no task") ? asked : undefined;
    });
    expect(next.status).toBe(2);
  });

  it("denies writes while something is active and the server is killed, cannot start or hangs", async () => {
    using clone = guardedClone();
    clone.install({ active: true });
    const server = await clone.served();
    server.process.kill("SIGKILL");
    await server.ended;
    clone.setActive();
    writeFileSync(join(clone.folder, "starting"), ""); // as if another hook had just tried to start it
    const denied = await clone.hook({ rung });
    expect(denied.status).toBe(2);
    expect(JSON.parse(denied.stdout)).toMatchObject({
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" },
    });
    expect(denied.stderr).toContain("the guard could not be asked");
    expect(await clone.hook({ rung, payload: read() })).toMatchObject({ status: 0, stdout: "" });
    rmSync(join(clone.folder, "starting"), { force: true }); // on a slow machine a hook has tried again
    rmSync(join(clone.folder, "active"));
    expect(await clone.hook({ rung })).toMatchObject({ status: 0, stdout: "", stderr: "" });
    using next = await clone.served();
    clone.setActive();
    const hung = await clone.hook({ rung, payload: write("hang") });
    expect(hung.status).toBe(2);
    expect(JSON.parse(hung.stdout).hookSpecificOutput.permissionDecision).toBe("deny");
    next.process.kill("SIGSTOP");
    expect((await clone.hook({ rung })).status).toBe(2);
    next.process.kill("SIGCONT");
    expect((await clone.hook({ rung })).status).toBe(0);
  });

  it("denies writes on a broken answer while something is active, and warns otherwise", async () => {
    using clone = guardedClone();
    using _server = await clone.served();
    clone.install();
    const passed = await clone.hook({ rung, payload: write("fail"), env: { CLAUDE_AGENT_NAME: "dev" } });
    expect(passed).toMatchObject({
      status: 0,
      stdout: "",
      stderr: expect.stringContaining("nothing is active"),
    });
    clone.setActive();
    const denied = await clone.hook({ rung, payload: write("fail") });
    expect(denied).toMatchObject({ status: 2, stdout: expect.stringContaining('"deny"') });
  });

  it.each(clients)("denies by itself in the form of %s if not even Node can be run", async (client) => {
    using clone = guardedClone();
    clone.install({ active: true, node: "/nowhere/node" });
    const payload = {
      claude: write(),
      codex: write(),
      gemini: { ...write(), hook_event_name: "BeforeTool" },
      copilot: { toolName: "create", toolArgs: { path: "a" } },
      opencode: { input: { tool: "write" }, output: { args: {} } },
      cursor: { hook_event_name: "beforeShellExecution", command: "touch a" },
    }[client];
    const run = await clone.hook({ rung, client, payload });
    expect(run.status).toBe(2);
    expect(run.stderr).toContain("lockstep status");
    expect(JSON.stringify(JSON.parse(run.stdout))).toMatch(/"deny"|"allow":false/);
    rmSync(join(clone.folder, "active"));
    expect(await clone.hook({ rung, client, payload })).toMatchObject({
      status: 0,
      stdout: "",
      stderr: "",
    });
  });

  it("allows events that report a finished action, and a stop, even without a server", async () => {
    using clone = guardedClone();
    clone.install({ active: true, node: "/nowhere/node" });
    for (const event of ["PostToolUse", "Stop", "SessionEnd", "UserPromptSubmit"])
      expect(
        (await clone.hook({ rung, payload: write("a", { hook_event_name: event }) })).status,
        event,
      ).toBe(0);
  });

  it("denies an agent with a task whose run has ended", async () => {
    using clone = guardedClone();
    const env = { LOCKSTEP_SOCKET: join(clone.path, "none"), LOCKSTEP_TASK: "T-1" };
    expect((await clone.hook({ rung, env, place: {} })).status).toBe(2);
  });

  it("finds the state folder from a linked worktree and from a subfolder", async () => {
    using clone = guardedClone();
    clone.git("commit", "-q", "--allow-empty", "-m", "one");
    const tree = `${clone.path}-tree`;
    clone.git("worktree", "add", "-q", tree);
    try {
      clone.write("deep/er/file", "x");
      using _server = await clone.served();
      clone.install({ active: true });
      for (const cwd of [tree, join(clone.path, "deep/er"), clone.path])
        expect((await clone.hook({ rung, cwd, place: {}, payload: write("forbidden") })).status, cwd).toBe(2);
      const env = { CLAUDE_PROJECT_DIR: clone.path };
      expect((await clone.hook({ rung, cwd: "/", env, place: {}, payload: write("forbidden") })).status).toBe(
        2,
      );
    } finally {
      rmSync(tree, { recursive: true, force: true });
    }
  });

  it.each(["bash", "dash"])("behaves the same in %s", async (shell) => {
    using clone = guardedClone();
    using _server = await clone.served();
    clone.install({ active: true });
    expect(await clone.hook({ rung, shell, payload: write("forbidden") })).toMatchObject({ status: 2 });
    expect(await clone.hook({ rung, shell })).toMatchObject({ status: 0, stderr: "" });
  });
});

it("a hook through the Node client connects through `net` if Node's internal handles are not available", async () => {
  using clone = guardedClone();
  using _server = await clone.served();
  clone.install({ active: true });
  const env = { NODE_OPTIONS: "--permission --allow-fs-read=* --allow-fs-write=*" };
  const asked = await clone.hook({ rung: "node", payload: write("forbidden"), env });
  expect(asked).toMatchObject({ status: 2, stdout: expect.stringContaining("claude no task") });
});

describe("the server", () => {
  it("is started once by fifty hooks at once, and answers them", async () => {
    using clone = guardedClone();
    clone.install({ active: true });
    const hooks = Array.from({ length: 50 }, () =>
      clone.hook({ rung: rungs[0], payload: write("forbidden") }),
    );
    const ended = await Promise.all(hooks);
    for (const { status, stdout } of ended) {
      expect(status).toBe(2);
      expect(() => JSON.parse(stdout)).not.toThrow();
    }
    const pid = await eventually("a server", clone.serverPid);
    const started = readFileSync(join(clone.path, ".git", "starts"), "utf8")
      .trim()
      .split("\n");
    expect(started).toEqual([String(pid)]);
  });

  it("ends when it is idle for long, and removes its record", async () => {
    using clone = guardedClone();
    using server = await clone.served({ IDLE_MS: "2500" });
    const begun = performance.now();
    for (let round = 0; round < 3; round += 1) {
      await sleep(1000);
      expect((await clone.hook({ rung: rungs[0] })).status).toBe(0);
    }
    expect((await server.ended).status).toBe(0);
    expect(performance.now() - begun).toBeGreaterThan(5000);
    for (const name of ["listening", "serve.json", "serve.socket"])
      expect(existsSync(join(clone.folder, name)), name).toBe(false);
  });

  it("stays for a session that called over HTTP, which could not start it again, until that session ends", async () => {
    using clone = guardedClone();
    using server = await clone.served({ IDLE_MS: "500" });
    await post(clone);
    await sleep(3000);
    expect(server.process.exitCode).toBe(null);
    await post(clone, { body: JSON.stringify(write("a", { hook_event_name: "SessionEnd" })) });
    expect((await server.ended).status).toBe(0);
  });

  it.each(rungs)(
    "ends after a session that called over HTTP and reports its end through %s",
    async (rung) => {
      using clone = guardedClone();
      clone.install();
      using server = await clone.served({ IDLE_MS: "500" });
      await post(clone);
      const ends = await clone.hook({ rung, payload: write("a", { hook_event_name: "SessionEnd" }) });
      expect(ends.status).toBe(0);
      expect((await server.ended).status).toBe(0);
      expect(existsSync(join(clone.folder, "listening"))).toBe(false);
    },
  );

  it("ends when its repository is removed", async () => {
    using clone = guardedClone();
    using server = await clone.served();
    rmSync(clone.folder, { recursive: true });
    await server.ended;
  });

  it("is shown by status, with its port, while it runs", async () => {
    using clone = guardedClone();
    using server = await clone.served();
    const status = async () =>
      JSON.parse(
        (await startProgram([...lockstepWords, "status", "--json"], { cwd: clone.path }).ended).stdout,
      );
    expect(await status()).toMatchObject({ server: { pid: server.process.pid, port: server.port } });
    server.process.kill("SIGTERM");
    await server.ended;
    expect(await status()).toMatchObject({ server: null });
  });

  it("runs once for a repository: a second one prints the repository's server and exits", async () => {
    using clone = guardedClone();
    using server = await clone.served();
    using second = clone.serve();
    expect((await second.ended).stdout).toContain(`already running pid ${server.process.pid}`);
  });
});

describe("`lockstep serve`", () => {
  it("judges by the current ledger, including changes by other processes", async () => {
    using clone = guardedClone();
    const cli = (words: readonly string[], input = "") =>
      startProgram([...lockstepWords, ...words], { cwd: clone.path, input });
    using server = cli(["serve"]);
    await eventually("it listens", () => (server.errors().includes("listening") ? true : undefined));
    const payload = write(join(clone.path, "src/a.ts"), {
      cwd: clone.path,
      agent_id: "a-1",
      agent_type: "dev",
    });
    const hook = () => clone.hook({ rung: rungs[0], payload });
    const silent = { status: 0, stdout: "", stderr: "" };
    expect(await hook()).toMatchObject(silent);
    expect((await cli(["dispatch"], JSON.stringify(packet("T-1", ["src"]))).ended).status).toBe(0);
    const denied = await hook();
    expect(denied).toMatchObject({ status: 2, stderr: expect.stringContaining("lockstep claim") });
    expect(JSON.parse(denied.stdout).hookSpecificOutput.permissionDecision).toBe("deny");
    expect(JSON.parse((await post(clone, { body: JSON.stringify(payload) })).text)).toMatchObject({
      hookSpecificOutput: { permissionDecision: "deny" },
    });
    expect((await cli(["release", "T-1"]).ended).status).toBe(0);
    expect(await hook()).toMatchObject(silent);
    expect((await post(clone, { body: JSON.stringify(payload) })).text).toBe("{}");
    expect((await cli(["serve"]).ended).stderr).toContain(`already running pid ${server.process.pid}`);
    server.process.kill("SIGTERM");
    expect((await server.ended).status).toBe(0);
  });

  it("reports that it did not respond for a while", async () => {
    using clone = guardedClone();
    using server = startProgram([...lockstepWords, "serve"], { cwd: clone.path });
    await eventually("it listens", () => (server.errors().includes("listening") ? true : undefined));
    const isReported = () =>
      [...server.errors().matchAll(/did not answer for (\d+) ms/g)].some(([, ms]) => Number(ms) > 500);
    // A server that is stopped before its first measurement does not know how long it was stopped.
    for (let round = 0; round < 8 && !isReported(); round += 1) {
      server.process.kill("SIGSTOP");
      await sleep(700);
      server.process.kill("SIGCONT");
      for (let look = 0; look < 15 && !isReported(); look += 1) await sleep(100);
    }
    expect(isReported()).toBe(true);
  });

  it("is refused to agents, and refuses an invalid port", async () => {
    using clone = guardedClone();
    const serve = (words: readonly string[], env = {}) =>
      startProgram([...lockstepWords, "serve", ...words], { cwd: clone.path, env }).ended;
    const agent = { LOCKSTEP_TASK: "T-1", LOCKSTEP_EPOCH: "1", LOCKSTEP_TOKEN: "x" };
    expect(await serve([], agent)).toMatchObject({ status: 2, stderr: expect.stringContaining("R-AU-001") });
    expect(await serve(["--port", "0x"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("is not a port"),
    });
  });
});

describe("the server's cache of the ledger", () => {
  it("is valid until the next commit, its own or another process's, and is then read again", async () => {
    using folder = temporaryFolder();
    const open = () =>
      openSqliteLedger({ folder: folder.path, create: true, fileSystemOf: networkFileSystem });
    const [own, other] = [await open(), await open()];
    try {
      const { facts } = keptReads({ ledger: own });
      const engine = (ledger: Ledger) => memoryEngine({ ledger });
      const first = await facts();
      expect(await facts()).toBe(first);
      expect((await dispatch(await engine(other), packet("T-1", ["src/a"]))).allow).toBe(true);
      expect((await facts()).holders.map(({ key }) => key)).toEqual(["T-1"]);
      expect((await dispatch(await engine(own), packet("T-2", ["src/b"]))).allow).toBe(true);
      const both = await facts();
      expect(both.holders.map(({ key }) => key).sort()).toEqual(["T-1", "T-2"]);
      expect(await facts()).toBe(both);
    } finally {
      own.close();
      other.close();
    }
  });
});

describe("the file that marks something as active", () => {
  const active = ({ folder }: GuardedClone) => existsSync(join(folder, "active"));

  it("exists from a dispatch on, and is removed after the last lease by the next command", async () => {
    using clone = guardedClone();
    await clone.run(["status"]);
    expect(active(clone)).toBe(false);
    const dispatched = await clone.run(["dispatch"], { input: JSON.stringify(packet("T-1", ["src"])) });
    expect(dispatched.status, dispatched.stdout).toBe(0);
    expect(active(clone)).toBe(true);
    expect(readFileSync(join(clone.folder, "active"), "utf8")).toContain("lockstep status");
    await clone.run(["status"]);
    expect(active(clone)).toBe(true);
    expect((await clone.run(["release", "T-1"])).status).toBe(0);
    await clone.run(["status"]);
    expect(active(clone)).toBe(false);
  });

  it("is removed by the server if nothing is active", async () => {
    using clone = guardedClone();
    using _server = await clone.served();
    writeFileSync(join(clone.folder, "active"), "");
    await eventually("it is gone", () => (active(clone) ? undefined : true));
  });
});
