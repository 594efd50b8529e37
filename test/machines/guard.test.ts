import { afterAll, describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/change/engine.ts";
import { guardEndpoint } from "../../src/guard/answer/open-endpoint.ts";
import { showingActive } from "../../src/guard/world/active.ts";
import { openPostgresLedger } from "../../src/ledger/postgres/open-ledger.ts";
import { nodeDisk } from "../../src/workspace/files/disk.ts";
import { findProject } from "../../src/workspace/files/find-project.ts";
import { livenessOn } from "../../src/workspace/process/process-identity.ts";
import { localVersion } from "../../src/workspace/state/local-version.ts";
import { openStateFolder } from "../../src/workspace/state/state-folder.ts";
import { cuttingProxy } from "../support/cutting-proxy.ts";
import { closeDatabases, takeDatabase } from "../support/ledger-databases.ts";
import { dispatch, memoryEngine, packet } from "../support/memory-engine.ts";
import { temporaryRepository } from "../support/run-command.ts";

afterAll(closeDatabases);

type Caller = Readonly<Record<string, string>>;

/** Two machines with a guard each, on one ledger behind a network that can be cut. */
async function twoGuards() {
  const stack = new AsyncDisposableStack();
  const database = await takeDatabase();
  stack.defer(() => database.free());
  const proxy = stack.use(await cuttingProxy(database.server.port));
  const url = `postgres://machine@127.0.0.1:${proxy.port}/${database.name}`;
  const machine = async (id: string) => {
    const repository = stack.use(temporaryRepository({ "src/a.ts": "", "docs/b.md": "" }));
    const project = findProject(repository.path);
    const folder = openStateFolder(project);
    const about = { id, name: id, lockstep: "0.1.0" };
    const opened = await openPostgresLedger({
      url,
      machine: about,
      local: localVersion(folder),
      waitMs: 300,
    });
    stack.defer(() => opened.close());
    const ledger = showingActive(opened, folder);
    const clock = opened.clock as NonNullable<typeof opened.clock>;
    const engine: Engine = {
      ...(await memoryEngine({ ledger })),
      ...{ clock, machine: id, isAlive: livenessOn(id) },
      world: { place: project.place, disk: nodeDisk() },
    };
    const endpoint = guardEndpoint({ engine, project, isRunAlive: () => false });
    const writes = (file: string, caller: Caller = {}, session = "s-1") =>
      endpoint(
        "claude",
        Buffer.from(
          JSON.stringify({
            ...{ session_id: session, cwd: repository.path, hook_event_name: "PreToolUse", tool_use_id: "t" },
            ...{ tool_name: "Write", tool_input: { file_path: `${repository.path}/${file}`, content: "x" } },
          }),
        ),
        { PWD: repository.path, ...caller },
      );
    return { engine, writes };
  };
  return {
    proxy,
    one: await machine("one"),
    other: await machine("other"),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const callerOf = (id: string, details: unknown): Caller => {
  const { epoch, token } = details as { epoch: number; token: string };
  return { LOCKSTEP_TASK: id, LOCKSTEP_EPOCH: String(epoch), LOCKSTEP_TOKEN: token };
};

describe("the guard with a shared ledger", () => {
  it("ignores the locks of another machine's tasks, and applies those of its own", async () => {
    await using guards = await twoGuards();
    const { one, other } = guards;
    expect((await dispatch(other.engine, packet("T-1", ["src"]))).allow).toBe(true);
    const passed = await one.writes("src/a.ts");
    expect(passed).toEqual({ stdout: "", stderr: "", exit: 0 });
    expect((await other.writes("src/a.ts")).stdout).toContain("deny");
    const started = await dispatch(one.engine, packet("T-2", ["docs"]));
    // At once: the process that dispatched has left a mark for the guard of its machine.
    expect((await one.writes("docs/b.md")).stdout).toContain("deny");
    const own = callerOf("T-2", started.details);
    expect((await one.writes("docs/b.md", own)).stdout).not.toContain("deny");
    expect((await one.writes("src/a.ts", own)).stdout).toContain("deny");
  });

  it("knows the locks for two seconds without the ledger; then it refuses callers with a task and warns all others", async () => {
    await using guards = await twoGuards();
    const { one, proxy } = guards;
    const started = await dispatch(one.engine, packet("T-1", ["src"]));
    const own = callerOf("T-1", started.details);
    const isRefused = async () => (await one.writes("src/a.ts", own)).stdout.includes("deny");
    expect(await isRefused()).toBe(false);
    proxy.cut();
    await expect.poll(isRefused, { timeout: 20_000 }).toBe(true);
    const refused = await one.writes("src/a.ts", own);
    expect(refused.stdout).toContain("the guard could not be asked");
    const passed = await one.writes("docs/b.md");
    expect(passed).toMatchObject({ stdout: "", exit: 0 });
    expect(passed.stderr).toContain("this session has no task, so the call is allowed");
    proxy.join();
    await expect.poll(isRefused, { timeout: 20_000 }).toBe(false);
  });
});
