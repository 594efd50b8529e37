import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ToolCall } from "../../src/contract/tool-call.ts";
import { orchestratorFolders } from "../../src/guard/orchestrator/folders.ts";
import { OrchestratorLayers, openOrchestratorLayers } from "../../src/guard/orchestrator/layers.ts";
import { type OrchestratorState, parseState } from "../../src/guard/orchestrator/state.ts";
import { nodeDisk } from "../../src/workspace/files/disk.ts";
import { findProject } from "../../src/workspace/files/find-project.ts";
import {
  callOf,
  freshState,
  nothing,
  reading,
  shell,
  spawning,
  writing,
} from "../support/orchestrator-ground.ts";
import { type Repository, temporaryRepository } from "../support/run-command.ts";

const hour = 60 * 60 * 1000;

/** A repository, its layers, and short ways to call and read them. */
function opened(repository: Repository, { root = null, at = 0 }: { root?: string | null; at?: number } = {}) {
  const project = findProject(repository.path);
  const folders = orchestratorFolders(project, root);
  const options = { folders, place: project.place, disk: nodeDisk(), scratch: ["/tmp"], coordination: [] };
  const layers = new OrchestratorLayers({ ...options, now: () => new Date(Date.now() + at) });
  const judge = (tool: string, operation: ToolCall["operation"], more: Partial<ToolCall> = {}) =>
    layers.judge(callOf(tool, operation, { folder: repository.path, ...more }));
  const read = async (session: string | null, more: Partial<ToolCall> = {}) =>
    (await judge("Read", reading("src/a.ts"), { session, ...more })).answer.allow;
  return { folders, layers, judge, read };
}

const mainFile = (repository: Repository, root = ".git/lockstep") =>
  join(repository.path, root, "tmp/orchestrator-session-state.json");
const stateIn = (file: string): OrchestratorState => JSON.parse(readFileSync(file, "utf8"));
const linesIn = (repository: Repository, root = ".git/lockstep") =>
  readFileSync(join(repository.path, root, "logs/orchestrator-audit.log"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("the state of an orchestrator", () => {
  it("is created by its first call, in the documented form, and counts from then on", async () => {
    using repository = temporaryRepository();
    const { read, layers, folders } = opened(repository);
    expect([layers.roleOf("c1"), layers.isUsed()]).toEqual([null, false]);
    expect(existsSync(folders.tmp)).toBe(false);
    expect(await read("c1")).toBe(true);
    const state = stateIn(mainFile(repository));
    expect(Object.keys(state).slice(0, 6)).toEqual([
      "session_id",
      "agent_role",
      "read_count",
      "violations",
      "files_read",
      "created_at",
    ]);
    expect(state).toMatchObject({ agent_role: "orchestrator", read_count: 1, violations: [] });
    expect(state.session_id).toMatch(/^sess_\d{13}$/);
    expect([layers.roleOf("c1"), layers.isUsed()]).toEqual(["orchestrator", true]);
    expect([await read("c1"), await read("c1")]).toEqual([true, false]);
    expect(stateIn(mainFile(repository)).violations).toMatchObject([
      {
        ...{ type: "READ_LIMIT_EXCEEDED", tool: "Read", blocked: true },
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    ]);
    expect(statSync(mainFile(repository)).mode & 0o077).toBe(0);
  });

  it("is in `guard.root` if that is set, also for a linked worktree", async () => {
    using repository = temporaryRepository({ "a.txt": "x" });
    repository.git("add", ".");
    repository.git("commit", "-qm", "first");
    repository.git("worktree", "add", "-q", join(repository.path, ".git/linked"));
    await opened(repository, { root: ".claude/context" }).read("c1");
    expect(stateIn(mainFile(repository, ".claude/context")).read_count).toBe(1);
    const linked = findProject(join(repository.path, ".git/linked"));
    expect(orchestratorFolders(linked, ".claude/context").tmp).toBe(
      join(repository.path, ".claude/context/tmp"),
    );
  });

  it("exists once per client session, and a spawn resets only the count of its session", async () => {
    using repository = temporaryRepository();
    const { read, judge, layers, folders } = opened(repository);
    expect([await read("c1"), await read("c1"), await read("c2"), await read("c2")]).toEqual(
      Array(4).fill(true),
    );
    expect([await read("c1"), await read("c2")]).toEqual([false, false]);
    await judge("Agent", spawning, { event: "after-tool", session: "c2" });
    expect([await read("c1"), await read("c2")]).toEqual([false, true]);
    expect(layers.roleOf("c3")).toBe(null);
    const ids = readdirSync(folders.tmp).map((name) => stateIn(join(folders.tmp, name)).session_id);
    expect(new Set(ids).size).toBe(2);
  });

  it("is not changed by its subagents, not even by one that orchestrates", async () => {
    using repository = temporaryRepository();
    const { read, layers } = opened(repository);
    await read("c1");
    const before = readFileSync(mainFile(repository), "utf8");
    const call = callOf("Write", writing(), {
      event: "after-tool",
      session: "c1",
      actor: { agentId: "a1", agentType: "developer" },
    });
    await layers.record(call, { role: "subagent", task: null, agent: "a1", outcome: "allowed", code: null });
    const inner = { actor: { agentId: "a2", agentType: "orchestrator" } };
    expect([await read("c1", inner), await read("c1", inner), await read("c1", inner)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(readFileSync(mainFile(repository), "utf8")).toBe(before);
    expect(layers.roleOf("c1")).toBe("orchestrator");
  });

  it("created by a person belongs to the first session that calls", async () => {
    using repository = temporaryRepository();
    const { read, layers, folders } = opened(repository);
    folders.open("tmp");
    writeFileSync(mainFile(repository), JSON.stringify({ ...freshState, client_session: null }));
    expect([layers.roleOf("c1"), layers.roleOf("c2")]).toEqual(["orchestrator", "orchestrator"]);
    await read("c2");
    expect([layers.roleOf("c1"), layers.roleOf("c2")]).toEqual([null, "orchestrator"]);
    expect(stateIn(mainFile(repository))).toMatchObject({ session_id: "sess_1", client_session: "c2" });
  });

  it("is accepted with the documented fields alone", async () => {
    using repository = temporaryRepository();
    const { read, folders } = opened(repository);
    folders.open("tmp");
    const { session_id, agent_role, read_count, violations, files_read, created_at } = freshState;
    const plain = { session_id, agent_role, read_count, violations, files_read, created_at };
    writeFileSync(mainFile(repository), JSON.stringify({ ...plain, read_count: 2 }));
    expect(await read("c1")).toBe(false);
  });

  it("follows a changed role in the environment of its own session, and keeps its violations", async () => {
    using repository = temporaryRepository();
    const { read, judge, layers } = opened(repository);
    await read("c1");
    await judge("Write", writing(), { session: "c1" });
    const recordCall = (more: Partial<ToolCall>, task: string | null = null) =>
      layers.record(callOf("Read", reading("x"), { event: "after-tool", session: "c1", ...more }), {
        ...{ role: "subagent", task, agent: null, outcome: "allowed", code: null },
      });
    await recordCall({ actor: { agentId: "a1", agentType: null } });
    await recordCall({ actor: { agentId: null, agentType: "developer" } });
    await recordCall({ session: "c2" });
    await recordCall({ session: null });
    await recordCall({}, "s/T-1");
    expect(layers.roleOf("c1")).toBe("orchestrator");
    await recordCall({});
    expect(layers.roleOf("c1")).toBe("subagent");
    expect(stateIn(mainFile(repository))).toMatchObject({ read_count: 0, violations: [{ tool: "Write" }] });
    await read("c1");
    expect(stateIn(mainFile(repository))).toMatchObject({ agent_role: "orchestrator", read_count: 1 });
  });

  it("expires after 12 hours without use: it is archived, and blocks no caller", async () => {
    using repository = temporaryRepository();
    const before = opened(repository);
    await before.read("c1");
    const { session_id: id } = stateIn(mainFile(repository));
    const later = opened(repository, { at: 13 * hour });
    expect(later.layers.isUsed()).toBe(false);
    await later.read("c2");
    expect(stateIn(mainFile(repository))).toMatchObject({ client_session: "c2", read_count: 1 });
    expect(existsSync(join(later.folders.reports, `orchestrator-compliance-${id}.json`))).toBe(true);
  });

  it("created by a person and unused for 12 hours makes no caller an orchestrator", () => {
    using repository = temporaryRepository();
    const { layers, folders } = opened(repository);
    folders.open("tmp");
    writeFileSync(mainFile(repository), JSON.stringify({ ...freshState, client_session: null }));
    const old = new Date(Date.now() - 13 * hour);
    utimesSync(mainFile(repository), old, old);
    expect(layers.roleOf("c1")).toBe(null);
  });
});

describe("a state that was tampered with", () => {
  it.each([
    ["nothing", ""],
    ["half of it", '{"session_id": "sess_1", "agent_ro'],
    ["a list", "[]"],
    ["another role", JSON.stringify({ ...freshState, agent_role: "developer" })],
    ["a count below zero", JSON.stringify({ ...freshState, read_count: -5 })],
    ["a count that is a string", JSON.stringify({ ...freshState, read_count: "0" })],
    ["an id that leads elsewhere", JSON.stringify({ ...freshState, session_id: "sess_/../../x" })],
    ["empty violations", JSON.stringify({ ...freshState, violations: [{}] })],
    ["too many files", JSON.stringify({ ...freshState, files_read: Array(201).fill("x") })],
    ["no time", JSON.stringify({ ...freshState, created_at: "yesterday" })],
    ["too much", JSON.stringify({ ...freshState, padding: "x".repeat(300_000) })],
  ])("is set aside, and starts again with the violations from the log: %s", async (_, text) => {
    using repository = temporaryRepository();
    const { read, judge, layers, folders } = opened(repository);
    await read("c1");
    await judge("Grep", { kind: "read", paths: [], search: "Grep" }, { session: "c1" });
    const { session_id: id } = stateIn(mainFile(repository));
    writeFileSync(mainFile(repository), text);
    expect(layers.roleOf("c1")).toBe("orchestrator");
    expect(await read("c1")).toBe(true);
    expect(stateIn(mainFile(repository))).toMatchObject({
      session_id: id,
      agent_role: "orchestrator",
      violations: [{ type: "DIRECT_GREP", tool: "Grep", blocked: true }],
    });
    const aside = readdirSync(folders.tmp).filter((name) => name.includes(".corrupt-"));
    expect(aside).toHaveLength(1);
    expect(readFileSync(join(folders.tmp, aside[0] as string), "utf8")).toBe(text);
  });

  it("is replaced if it is a link, and the target of the link is unchanged", async () => {
    using repository = temporaryRepository({ "target.json": JSON.stringify(freshState) });
    const { read, folders } = opened(repository);
    folders.open("tmp");
    symlinkSync(join(repository.path, "target.json"), mainFile(repository));
    expect(await read("c1")).toBe(true);
    expect(stateIn(join(repository.path, "target.json"))).toEqual(freshState);
  });

  it("makes no caller an orchestrator without violations in the log", () => {
    using repository = temporaryRepository();
    const { layers, folders } = opened(repository);
    folders.open("tmp");
    writeFileSync(mainFile(repository), "{");
    expect(layers.roleOf("c1")).toBe(null);
    expect(existsSync(mainFile(repository))).toBe(false);
  });

  it("can be read again after it was written", () => {
    const parse = (document: object) => parseState(JSON.stringify(document), new Date(0));
    expect(parse(freshState)).toEqual(freshState);
    expect(parse({ ...freshState, __proto__: { agent_role: "x" } })).toEqual(freshState);
  });

  it("keeps its role if another tool wrote it with fewer fields and a plain id", () => {
    using repository = temporaryRepository();
    const { layers, folders } = opened(repository);
    folders.open("tmp");
    const theirs = { session_id: "test_session", agent_role: "orchestrator", read_count: 1 };
    writeFileSync(mainFile(repository), JSON.stringify(theirs));
    expect(layers.roleOf("c1")).toBe("orchestrator");
    expect(parseState(JSON.stringify(theirs), new Date(0))).toMatchObject({
      ...theirs,
      session_id: "sess_test_session",
      created_at: "1970-01-01T00:00:00.000Z",
      violations: [],
    });
  });
});

describe("parallel calls", () => {
  const code = `
    const [, root, session, path] = process.argv;
    const { openOrchestratorLayers } = await import(${JSON.stringify(new URL("../../src/guard/orchestrator/layers.ts", import.meta.url).href)});
    const { findProject } = await import(${JSON.stringify(new URL("../../src/workspace/files/find-project.ts", import.meta.url).href)});
    const { nodeDisk } = await import(${JSON.stringify(new URL("../../src/workspace/files/disk.ts", import.meta.url).href)});
    const settings = { root: null, coordination: [], opaque: "verify" };
    const world = { disk: nodeDisk(), scratch: ["/tmp"], environment: process.env };
    const layers = openOrchestratorLayers(findProject(root), settings, world);
    const operation = { kind: "read", paths: [path], search: null };
    const actor = { agentId: null, agentType: null };
    const call = { event: "before-tool", session, actor, tool: "Read", callId: null, operation, folder: root };
    const { answer } = await layers.judge(call);
    console.log(answer.allow ? "allowed" : "blocked");`;

  const started = (repository: Repository, session: string, path: string) =>
    new Promise<string>((resolve, reject) => {
      const words = ["--input-type=module", "-e", code, repository.path, session, path];
      const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
      let out = "";
      child.stdout.on("data", (chunk) => {
        out += chunk;
      });
      child.on("error", reject).on("close", () => resolve(out.trim()));
    });

  it("of twelve simultaneous hooks let two reads pass and record the others", async () => {
    using repository = temporaryRepository();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => started(repository, "c1", `/repo/${at}.ts`)),
    );
    expect(answers.filter((answer) => answer === "allowed")).toHaveLength(2);
    expect(answers.filter((answer) => answer === "blocked")).toHaveLength(10);
    expect(stateIn(mainFile(repository))).toMatchObject({ read_count: 2, blocked_reads: 10 });
    expect(stateIn(mainFile(repository)).violations).toHaveLength(10);
    expect(linesIn(repository)).toHaveLength(10);
    expect(readdirSync(join(repository.path, ".git/lockstep/tmp"))).toEqual([
      "orchestrator-session-state.json",
    ]);
  });

  it("take over the lock of a dead process, and fail while a running process holds it", async () => {
    using repository = temporaryRepository();
    const { read, folders } = opened(repository);
    folders.open("tmp");
    const lock = join(folders.tmp, "orchestrator-session-state.lock");
    writeFileSync(lock, "999999999");
    expect(await read("c1")).toBe(true);
    writeFileSync(lock, String(process.pid));
    await expect(read("c1")).rejects.toThrow(/is held by another process/);
    const old = new Date(Date.now() - 6000);
    utimesSync(lock, old, old);
    expect(await read("c1")).toBe(true);
    expect(existsSync(lock)).toBe(false);
  });

  it("fail if the state cannot be written, and let nothing pass", async () => {
    using repository = temporaryRepository();
    // The path of the file is just short enough; the path of the temporary file that replaces it is too long.
    const room = 4080 - mainFile(repository, "").length;
    const root = "deep/".repeat(room / 5).slice(0, -1);
    const file = mainFile(repository, root);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ ...freshState, read_count: 1 }));
    await expect(opened(repository, { root }).read("c1")).rejects.toThrow("ENAMETOOLONG");
    expect(stateIn(file).read_count).toBe(1);
  });
});

describe("an orchestrator's session", () => {
  it("ends with a report, and its state is moved beside it; the next session starts at zero", async () => {
    using repository = temporaryRepository();
    const { read, judge, layers, folders } = opened(repository);
    await read("c1");
    await judge("Bash", shell("git push"), { session: "c1" });
    const { session_id: id } = stateIn(mainFile(repository));
    await judge("", nothing, { event: "session-end", session: "c2" });
    expect(existsSync(mainFile(repository))).toBe(true);
    await judge("", nothing, { event: "session-end", session: "c1" });
    expect(existsSync(mainFile(repository))).toBe(false);
    expect(readdirSync(folders.reports).sort()).toEqual([
      `orchestrator-compliance-${id}.json`,
      `orchestrator-session-state-${id}.json`,
    ]);
    expect([layers.roleOf("c1"), layers.isUsed()]).toEqual([null, false]);
    await read("c1");
    expect(stateIn(mainFile(repository)).session_id).not.toBe(id);
  });

  it("continues after a compaction, which writes a report", async () => {
    using repository = temporaryRepository();
    const { read, judge, folders } = opened(repository);
    await read("c1");
    await judge("", nothing, { event: "compact", session: "c1" });
    expect(readdirSync(folders.reports)).toHaveLength(1);
    expect(stateIn(mainFile(repository)).read_count).toBe(1);
  });

  it("begins with the five questions", async () => {
    using repository = temporaryRepository();
    const { judge } = opened(repository);
    const { answer } = await judge("", nothing, { event: "session-start" });
    expect(answer).toMatchObject({ allow: true, context: expect.stringContaining("Am I an orchestrator?") });
  });

  it("sets a mark while it lasts, for hooks that cannot ask the server", async () => {
    using repository = temporaryRepository();
    const { read, judge } = opened(repository);
    const active = join(repository.path, ".git/lockstep/active");
    await read("c1");
    expect(readFileSync(active, "utf8")).toMatch(/^orchestrator until /m);
    await judge("", nothing, { event: "session-end", session: "c1" });
    expect(readFileSync(active, "utf8")).not.toMatch(/^orchestrator until /m);
  });
});

it("the layers use the guard's settings", async () => {
  using repository = temporaryRepository();
  const settings = { root: "ctx", coordination: ["NOTES.md"], opaque: "deny", programs: [] } as const;
  const world = { disk: nodeDisk(), scratch: ["/tmp"], environment: {} };
  const layers = openOrchestratorLayers(findProject(repository.path), settings, world);
  const judge = (operation: ToolCall["operation"]) =>
    layers.judge(callOf("Any", operation, { folder: repository.path }));
  expect((await judge(shell("python3 x.py"))).code).toBe("R-OR-001");
  expect((await judge({ kind: "malformed", reason: "x" })).code).toBe("R-IN-001");
  for (const path of ["a", "b", "NOTES.md"]) expect((await judge(reading(path))).code).toBe(null);
  expect(stateIn(mainFile(repository, "ctx")).read_count).toBe(3);
});
