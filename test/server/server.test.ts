import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { askHost } from "../../src/cli/open/socket-client.ts";
import type { Verdict } from "../../src/core/rules/verdict.ts";
import { operate } from "../../src/engine/operate.ts";
import { openMemoryLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { type Host, HostRunning, openHost } from "../../src/server/host.ts";
import { readHostRecord } from "../../src/server/host-record.ts";
import {
  dispatch,
  memoryEngine,
  packet,
  person,
  stateOf,
  type TestEngine,
} from "../support/memory-engine.ts";
import { rawExchange } from "../support/raw-exchange.ts";
import { eventually } from "../support/run-command.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Serving extends AsyncDisposable {
  readonly engine: TestEngine;
  readonly host: Host;
  readonly folder: string;
  /** The identity of the agents of T-1 and T-2. */
  readonly calls: Readonly<Record<"T-1" | "T-2", { task: string; epoch: number; token: string }>>;
}

/** Two tasks in progress, and a host for them. */
async function serving(options: Parameters<typeof memoryEngine>[0] = {}): Promise<Serving> {
  const folder = temporaryFolder();
  const engine = await memoryEngine(options);
  const start = async (task: string, scope: string) => {
    const { details } = await dispatch(engine, packet(task, [scope]));
    return { task, epoch: Number(details?.epoch), token: String(details?.token) };
  };
  const calls = { "T-1": await start("T-1", "src/a"), "T-2": await start("T-2", "src/b") };
  const host = await openHost(engine, folder.path);
  const close = async () => {
    await host[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  };
  return { engine, host, calls, folder: folder.path, [Symbol.asyncDispose]: close };
}

async function send({ host }: Serving, request: unknown): Promise<Verdict> {
  return JSON.parse(await rawExchange(host.socket, `${JSON.stringify(request)}\n`));
}

const heartbeat = { version: 1, operation: "heartbeat", input: { task: "T-1" } };

describe("the host", () => {
  it("answers an agent with its token", async () => {
    await using served = await serving();
    const call = served.calls["T-1"];
    const ask = (operation: string, input: object) => send(served, { version: 1, operation, input, call });
    expect(await ask("heartbeat", { task: "T-1", tokens: 5 })).toMatchObject({
      allow: true,
      details: { tokens: 5 },
    });
    expect(await ask("widen", { task: "T-1", paths: ["docs"], why: "to tell" })).toMatchObject({
      details: { granted: ["docs"] },
    });
    expect(await ask("status", {})).toMatchObject({ tasks: [{ id: "T-1" }, { id: "T-2" }] });
    expect(await ask("task-show", { task: "T-9" })).toBe(null);
    expect(await ask("task-escalate", { task: "T-1", reason: "stuck" })).toMatchObject({ allow: true });
    expect(await stateOf(served.engine, "T-1")).toBe("ESCALATED");
  });

  it("answers a client that has closed its own side after the request", async () => {
    await using served = await serving();
    const socket = connect(served.host.socket);
    socket.end(`${JSON.stringify({ ...heartbeat, call: served.calls["T-1"] })}\n`);
    expect(JSON.parse(await text(socket))).toMatchObject({ allow: true });
  });

  it("applies a request with a key once", async () => {
    await using served = await serving();
    const call = { ...served.calls["T-1"], key: "k" };
    const request = { ...heartbeat, input: { task: "T-1", tokens: 5 }, call };
    for (let round = 0; round < 3; round += 1)
      expect(await send(served, request)).toMatchObject({ details: { tokens: 5 } });
  });

  it.each<[string, string, (calls: Serving["calls"]) => object]>([
    ["no caller", "R-AU-001", () => ({ call: {} })],
    ["no token", "R-AU-001", (calls) => ({ call: { ...calls["T-1"], token: undefined } })],
    ["an empty token", "R-IN-001", (calls) => ({ call: { ...calls["T-1"], token: "" } })],
    ["no task", "R-AU-001", (calls) => ({ call: { ...calls["T-1"], task: undefined } })],
    ["a person", "R-AU-001", (calls) => ({ call: { ...calls["T-1"], role: "person" } })],
    ["no epoch", "R-LS-001", (calls) => ({ call: { ...calls["T-1"], epoch: undefined } })],
    ["epoch 0", "R-LS-001", (calls) => ({ call: { ...calls["T-1"], epoch: 0 } })],
    ["an invented token", "R-LS-001", (calls) => ({ call: { ...calls["T-1"], token: "x".repeat(43) } })],
    [
      "another task's token",
      "R-LS-001",
      (calls) => ({ call: { ...calls["T-1"], token: calls["T-2"].token } }),
    ],
    ["another task's agent", "R-AU-001", (calls) => ({ call: calls["T-2"] })],
    ["an invented token for a read", "R-LS-001", (calls) => reads({ ...calls["T-1"], token: "x" })],
    ["no token for a read", "R-AU-001", (calls) => reads({ ...calls["T-1"], token: undefined })],
    ["an unknown task", "R-LS-001", (calls) => ({ call: { ...calls["T-1"], task: "T-9", epoch: 0 } })],
    ["another version", "R-IN-001", () => ({ version: 2 })],
    ["no version", "R-IN-001", () => ({ version: undefined })],
    ["an unknown operation", "R-IN-001", () => ({ operation: "halt" })],
    ["a prototype's name", "R-IN-001", () => ({ operation: "constructor" })],
    ["input of a wrong type", "R-IN-001", () => ({ input: { task: 7 } })],
    ["no input", "R-IN-001", () => ({ input: undefined })],
    [
      "an operation for people only",
      "R-AU-001",
      () => ({ operation: "decide", input: { id: "UD-1", answer: "x" } }),
    ],
    ["an incomplete operation for people only", "R-AU-001", () => ({ operation: "decide", input: null })],
    ["a release", "R-AU-001", () => ({ operation: "release" })],
    ["a key with spaces", "R-IN-001", (calls) => ({ call: { ...calls["T-1"], key: "a b" } })],
  ])("refuses %s with %s", async (_what, code, more) => {
    await using served = await serving();
    const { calls } = served;
    const answer = await send(served, { ...heartbeat, call: calls["T-1"], ...more(calls) });
    expect(answer).toMatchObject({ allow: false, code, reason: expect.stringMatching(/./) });
  });

  it("refuses an agent whose task was dispatched again, also for reads", async () => {
    await using served = await serving();
    await operate(served.engine, "release", { task: "T-1" }, person);
    const again = await dispatch(served.engine, packet("T-1", ["src/a"], { context_revision: 1 }));
    expect(again.allow).toBe(true);
    for (const request of [heartbeat, reads({})])
      expect(await send(served, { ...heartbeat, ...request, call: served.calls["T-1"] })).toMatchObject({
        code: "R-LS-001",
      });
  });

  it.each<[string, string | Uint8Array]>([
    ["no JSON", "heartbeat T-1\n"],
    ["an empty line", "\n"],
    ["a list", "[]\n"],
    ["null", "null\n"],
    ["bytes that are not UTF-8", Uint8Array.of(0x22, 0xff, 0x22, 0x0a)],
    ["very deep nesting", `${"[".repeat(500_000)}\n`],
    ["a deep document", `{"version":1,"operation":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}\n`],
    ["more than a megabyte", `"${"x".repeat(1024 * 1024)}"\n`],
    ["a hundred megabytes without an end", Buffer.alloc(100_000_000, "x")],
  ])("answers %s with R-IN-001", async (_what, bytes) => {
    await using served = await serving();
    const before = process.memoryUsage().rss;
    expect(JSON.parse(await rawExchange(served.host.socket, bytes))).toMatchObject({ code: "R-IN-001" });
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
    expect(await send(served, { ...heartbeat, call: served.calls["T-1"] })).toMatchObject({ allow: true });
  });

  it("denies any invalid JSON, and stays up", async () => {
    await using served = await serving();
    const request = fc.record(
      {
        version: fc.oneof(fc.constant(1), fc.jsonValue()),
        operation: fc.oneof(fc.constantFrom("heartbeat", "submit", "__proto__"), fc.jsonValue()),
        input: fc.jsonValue(),
        call: fc.oneof(fc.constant(served.calls["T-2"]), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(request, fc.jsonValue()), async (document) => {
        const { allow, code } = await send(served, document);
        expect(allow).toBe(false);
        expect(code).toMatch(/^R-/);
      }),
      { numRuns: 500 },
    );
  });

  it("drops a partial request, and one that is not complete within two seconds", async () => {
    await using served = await serving();
    const half = connect(served.host.socket);
    half.end('{"version":1');
    const slow = connect(served.host.socket);
    slow.write('{"version":1');
    const started = performance.now();
    const ended = (socket: typeof half) =>
      new Promise<number>((resolve) => {
        socket.on("data", () => resolve(-1)).on("close", () => resolve(performance.now() - started));
      });
    const [halfMs, slowMs] = await Promise.all([ended(half), ended(slow)]);
    expect(halfMs).toBeGreaterThanOrEqual(0);
    expect(halfMs).toBeLessThan(1500);
    expect(slowMs).toBeGreaterThan(1500);
    expect(slowMs).toBeLessThan(4000);
  });

  it("handles thousands of requests, including aborted ones, and keeps no descriptor", async () => {
    await using served = await serving();
    const call = served.calls["T-1"];
    const line = `${JSON.stringify({ ...heartbeat, call })}\n`;
    const descriptors = () => readdirSync("/proc/self/fd").length;
    await send(served, { ...heartbeat, call });
    const before = descriptors();
    let allowed = 0;
    const one = async (index: number) => {
      if (index % 4 > 0) {
        if (JSON.parse(await rawExchange(served.host.socket, line)).allow) allowed += 1;
        return;
      }
      const leaving = connect(served.host.socket);
      await new Promise((resolve) => leaving.once("connect", resolve));
      if (index % 8 === 0) leaving.write(index % 16 === 0 ? line : line.slice(0, 20));
      leaving.destroy();
    };
    for (let round = 0; round < 40; round += 1)
      await Promise.all(Array.from({ length: 100 }, (_, index) => one(index)));
    expect(allowed).toBe(3000);
    await eventually("all descriptors closed", () => (descriptors() <= before ? true : undefined));
  });

  it("answers accepted requests before it ends, and then exits", async () => {
    const taken: string[] = [];
    const ledger = await openMemoryLedger();
    const read = ledger.attempt.bind(ledger);
    const served = await serving({ ledger });
    const closed = Promise.withResolvers<void>();
    const attempt = async (task: string) => {
      taken.push(task);
      await closed.promise;
      return read(task);
    };
    Object.assign(ledger, { attempt });
    const request = { ...heartbeat, call: served.calls["T-1"] };
    const answers = Array.from({ length: 20 }, () => send(served, request));
    await eventually("all are accepted", () => (taken.length >= 20 ? true : undefined));
    // The connection never closes: a host that waited for it would not end either.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const silent = connect(served.host.socket);
    silent.on("error", () => {});
    await once(silent, "connect");
    const closing = served.host[Symbol.asyncDispose]();
    closed.resolve();
    for (const answer of await Promise.all(answers)) expect(answer.allow).toBe(true);
    await closing;
    vi.useRealTimers();
    expect(readdirSync(served.folder)).toEqual(["host.lock"]);
    silent.destroy();
    await using _folder = served;
    await using again = await openHost(served.engine, served.folder);
    expect(again.socket).toBe(served.host.socket);
  });
});

function reads(call: object) {
  return { operation: "status", input: {}, call };
}

describe("the host's socket", () => {
  it("is accessible to its own user only", async () => {
    await using served = await serving();
    expect(lstatSync(served.host.socket).mode & 0o777).toBe(0o600);
    expect(lstatSync(join(served.folder, "host.json")).mode & 0o777).toBe(0o600);
  });

  it("is not created in a folder that others can enter, nor behind a link", async () => {
    using folder = temporaryFolder();
    const engine = await memoryEngine();
    symlinkSync(folder.path, join(folder.path, "link"));
    await expect(openHost(engine, join(folder.path, "link"))).rejects.toThrow("is not a folder");
    await expect(openHost(engine, join(folder.path, "none"))).rejects.toThrow("is not a folder");
    chmodSync(folder.path, 0o750);
    await expect(openHost(engine, folder.path)).rejects.toThrow(
      "is accessible to other users: run `chmod 700` on it",
    );
  });

  it.runIf(process.geteuid?.() === 0)("is not put into another user's folder", async () => {
    using folder = temporaryFolder();
    chmodSync(folder.path, 0o700);
    chownSync(folder.path, 65534, 65534);
    await expect(openHost(await memoryEngine(), folder.path)).rejects.toThrow("belongs to another user");
  });

  it("does not replace a link, a file or a folder at its path", async () => {
    const engine = await memoryEngine();
    for (const put of [
      (path: string) => symlinkSync("/nowhere", path),
      (path: string) => writeFileSync(path, "x"),
      (path: string) => mkdirSync(path),
    ]) {
      using folder = temporaryFolder();
      put(join(folder.path, "socket"));
      await expect(openHost(engine, folder.path)).rejects.toThrow(
        "is not a socket of Lockstep: move it away",
      );
      expect(readdirSync(folder.path).sort()).toEqual(["host.lock", "socket"]);
    }
  });

  it("is in a short folder of its own if the path is too long, and is found by the record", async () => {
    using folder = temporaryFolder();
    using runtime = temporaryFolder();
    const long = join(folder.path, "a".repeat(120));
    mkdirSync(long, { mode: 0o700 });
    const engine = await memoryEngine();
    const before = process.env.XDG_RUNTIME_DIR;
    for (const place of [runtime.path, "", join(runtime.path, "none"), long]) {
      process.env.XDG_RUNTIME_DIR = place;
      try {
        await using host = await openHost(engine, long);
        expect(host.socket.startsWith(`${runtime.path}/lockstep-`)).toBe(place === runtime.path);
        expect(readHostRecord(long)).toMatchObject({ pid: process.pid, socket: host.socket });
        expect(JSON.parse(await rawExchange(host.socket, "x\n"))).toMatchObject({ code: "R-IN-001" });
        await host[Symbol.asyncDispose]();
        expect(existsSync(join(host.socket, ".."))).toBe(false);
      } finally {
        process.env.XDG_RUNTIME_DIR = before ?? "";
        if (before === undefined) delete process.env.XDG_RUNTIME_DIR;
      }
    }
  });

  it("is the same for all spellings of a folder's path, and a copy of the folder has its own", async () => {
    await using served = await serving();
    const spelled = `${served.folder}/../${served.folder.split("/").at(-1)}`;
    const second = openHost(served.engine, spelled);
    await expect(second).rejects.toThrow(HostRunning);
    await expect(second).rejects.toThrow(`already running pid ${process.pid}`);
    using copy = temporaryFolder();
    cpSync(join(served.folder, "host.json"), join(copy.path, "host.json"));
    expect(readHostRecord(copy.path)).toBeUndefined();
    await using other = await openHost(served.engine, copy.path);
    expect(other.socket).not.toBe(served.host.socket);
    expect(await send(served, { ...heartbeat, call: served.calls["T-1"] })).toMatchObject({ allow: true });
  });
});

describe("a command that calls the host", () => {
  const request = { operation: "heartbeat", input: { task: "T-1" }, call: {} } as const;

  it.each<[string, string | undefined]>([
    ["closed the connection before the answer was complete", ""],
    ["closed the connection before the answer was complete", '{"allow":true'],
    ["its answer does not fit the request", "hello\n"],
    ["its answer does not fit the request", "42\n"],
    ["its answer does not fit the request", "null\n"],
    ["its answer does not fit the request", '{"allow":"yes"}\n'],
    ["timeout after 2 s", undefined],
  ])("is denied if the answer is: %s (%j)", async (why, answer) => {
    using folder = temporaryFolder();
    const path = join(folder.path, "socket");
    const server = createServer((socket) => {
      socket.on("error", () => {});
      if (answer !== undefined) socket.end(answer);
    }).listen(path);
    await new Promise((resolve) => server.once("listening", resolve));
    const started = performance.now();
    const denied = await askHost(path, request);
    server.close();
    expect(denied).toMatchObject({ allow: false, code: "E-STORE", reason: expect.stringContaining(why) });
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it("is denied if there is no listener, and does not connect to a socket of another user or to another file", async () => {
    using folder = temporaryFolder({ file: "x" });
    const path = join(folder.path, "socket");
    const reason = expect.stringContaining("nothing is listening there");
    expect(await askHost(path, request)).toMatchObject({ code: "E-STORE", reason });
    const server = createServer().listen(path);
    await new Promise((resolve) => server.once("listening", resolve));
    symlinkSync(path, join(folder.path, "link"));
    for (const name of ["file", "link"])
      expect(await askHost(join(folder.path, name), request)).toMatchObject({
        reason: expect.stringContaining("not a socket of this user"),
      });
    server.close();
    await once(server, "close");
  });

  it("does not send more than the host accepts", async () => {
    await using served = await serving();
    const input = { task: "T-1", document: "x".repeat(1024 * 1024) };
    const call = served.calls["T-1"];
    expect(await askHost(served.host.socket, { operation: "submit", input, call })).toMatchObject({
      code: "R-IN-001",
    });
  });
});
