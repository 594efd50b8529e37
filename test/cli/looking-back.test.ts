import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LandRepository } from "../support/land-repository.ts";
import { answer, planned, planText, task, writes } from "../support/planned-repository.ts";

type Line = Readonly<Record<string, unknown>>;

/** A run of a plan with one task that is merged, and one whose agent is blocked. */
describe("a run", () => {
  let repository: LandRepository;
  let lines: readonly Line[];
  let session: string;

  beforeAll(async () => {
    repository = planned({
      agents: { a: [[writes("A"), answer("OK")]], b: [[answer("BLOCKED")]] },
      tasks: [task("A", "a"), task("B", "b")],
      files: { "other.yaml": planText([task("A", "a"), task("C", "a", ", depends_on: [A]")], "other") },
    });
    const { stdout } = await repository.run(["run", "--json-lines"]);
    lines = stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
    session = String(lines.at(-1)?.session);
  }, 60_000);
  afterAll(() => repository[Symbol.dispose]());

  const read = async (...words: string[]) => JSON.parse((await repository.run([...words, "--json"])).stdout);

  it("prints every event as a line of JSON, and its result last", () => {
    const events = lines.map(({ event, task: id }) => `${event} ${id ?? ""}`);
    for (const one of ["task.created A", "task.started A", "task.merged A", "task.blocked B"])
      expect(events).toContain(one);
    expect(lines.find(({ event }) => event === "task.merged")).toEqual({
      ...{ event: "task.merged", session, task: "A", key: `${session}/A`, from: "REVIEW", to: "MERGED" },
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      seq: expect.any(Number),
      actor: "run",
      data: expect.anything(),
    });
    const seqs = lines.slice(0, -1).map(({ seq }) => Number(seq));
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
    expect(new Set(seqs).size).toBe(seqs.length);
    expect(lines.at(-1)).toMatchObject({
      event: "run.ended",
      outcome: "waiting",
      tasks: [{ id: "A" }, { id: "B" }],
    });
  });

  it("is listed among the sessions", async () => {
    expect(await read("session", "list")).toEqual({
      sessions: [
        {
          ...{ name: session, goal: null, plan: "tasks.yaml", state: "waiting" },
          tasks: { merged: 1, open: 1, failed: 0 },
          created_at: expect.stringMatching(/Z$/),
          age_seconds: expect.any(Number),
        },
      ],
    });
    expect((await repository.run(["session", "list"])).stdout).toMatch(
      /^SESSION .*\n\S+_shop +waiting +1 +1 +0 /,
    );
  });

  it("can be reported again", async () => {
    const again = await repository.run(["report", "--run", session]);
    expect(again).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(": 1 of 2 tasks merged into main"),
    });
    expect(again.stdout).toContain("lockstep run tasks.yaml");
    expect(await read("report", "--run")).toMatchObject({ session, outcome: "waiting" });
    // No orchestrator was guarded, so only a run can be meant.
    expect(await read("report")).toMatchObject({ session, outcome: "waiting" });
    expect(await repository.run(["report", session])).toEqual(again);
    const none = "2026-01-01_none";
    expect(await repository.run(["report", "--run", none])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`there is no session \`${none}\``),
    });
    expect(await repository.run(["report", none])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`there is no record of \`${none}\``),
    });
  });

  it.each<[readonly string[], readonly string[]]>([
    [
      ["--since", "1h"],
      ["A", "B"],
    ],
    [["--since", "2100-01-01T00:00:00Z"], []],
    [["--failed"], []],
    [
      ["--session", "SESSION"],
      ["A", "B"],
    ],
  ])("is filtered by %j", async (words, ids) => {
    const named = words.map((word) => (word === "SESSION" ? session : word));
    const { tasks } = await read("status", ...named);
    expect(tasks.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  it.each([
    [["--since", "soon"], "--since takes an ISO 8601 time"],
    [["--session", "2026-01-01_none"], "there is no session `2026-01-01_none`"],
  ])("is not filtered by invalid values: %j", async (words, reason) => {
    const { status, stderr } = await repository.run(["status", ...words]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(reason) });
  });

  it("is previewed before it starts, and nothing changes", async () => {
    const [before, sessions] = [repository.git("for-each-ref"), await read("session", "list")];
    const dry = await read("run", "other.yaml", "--dry-run");
    expect(dry).toMatchObject({
      ...{
        dry_run: true,
        plan: "other.yaml",
        session: null,
        base: "main",
        merged: 0,
        overlaps: [],
        refused: null,
      },
      limits: { max_parallel: 4, batching: "continuous" },
      batches: [["A"], ["C"]],
      tasks: [
        { id: "A", agent: "a", batch: 1 },
        { id: "C", agent: "a", batch: 2, depends_on: ["A"] },
      ],
    });
    const { stdout } = await repository.run(["run", "--dry-run"]);
    expect(stdout).toMatch(/\n1 task in 1 batch into main; 1 task already merged\n/);
    expect(stdout).toMatch(/nothing was started\n$/);
    expect(repository.git("for-each-ref")).toBe(before);
    expect((await read("session", "list")).sessions).toHaveLength(sessions.sessions.length);
  });
});

describe("a run without a named plan", () => {
  it("prefers tasks.yaml to an unfinished `do`, reports that first, and names other unfinished sessions", async () => {
    using repository = planned({
      agents: { a: [[writes("A"), answer("OK")]], b: [[answer("BLOCKED")]] },
      tasks: [task("A", "a")],
    });
    const left = await repository.run(["do", "left over", "--agent", "b", "--check", "true", "--json"]);
    const copy = `.agents-work/${JSON.parse(left.stdout).session}/tasks.yaml`;
    const chosen = `plan tasks.yaml, a new session; also unfinished: \`lockstep run ${copy}\`\n`;
    const dry = await repository.run(["run", "--dry-run"]);
    expect(dry.stdout.slice(0, chosen.length)).toBe(chosen);
    expect(JSON.parse((await repository.run(["run", "--dry-run", "--json"])).stdout)).toMatchObject({
      ...{ plan: "tasks.yaml", session: null, unfinished: [copy], tasks: [{ id: "A" }] },
    });
    const run = await repository.run(["run", "--json-lines"]);
    expect(run.stderr.startsWith(`· ${chosen}`), run.stderr).toBe(true);
    const ended = JSON.parse(run.stdout.trimEnd().split("\n").at(-1) ?? "");
    expect(ended.tasks).toMatchObject([{ id: "A", state: "MERGED" }]);
    // Once it is done, the other one is next.
    expect((await repository.run(["run", "--dry-run"])).stdout).toMatch(
      new RegExp(`^plan ${copy}, session \\S+\\n`),
    );
  }, 60_000);
});

describe("a preview of a run", () => {
  it("creates no ledger and no session", async () => {
    using repository = planned({ agents: { a: [[answer("OK")]] }, tasks: [task("A", "a")] });
    expect((await repository.run(["run", "--dry-run"])).status).toBe(0);
    expect(
      [".agents-work", ".git/lockstep/state.db"].map((path) => existsSync(join(repository.path, path))),
    ).toEqual([false, false]);
  });
});
