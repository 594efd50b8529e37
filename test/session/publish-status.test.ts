import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  watch,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { judgeStatusDocument } from "../../src/core/session/judge-status.ts";
import type { Engine } from "../../src/engine/change/engine.ts";
import { askGate } from "../../src/engine/decisions/ask-gate.ts";
import { askSession } from "../../src/engine/decisions/ask-session.ts";
import { operate } from "../../src/engine/operate.ts";
import { moveSession } from "../../src/engine/sessions/move-session.ts";
import { openSession } from "../../src/engine/sessions/open-session.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { appendHistory, publishOpen, publishStatus } from "../../src/session/files/publish-status.ts";
import { backUpFiles } from "../../src/workspace/plan/session-backup.ts";
import { memoryEngine, person } from "../support/memory-engine.ts";
import { temporaryRepository } from "../support/run-command.ts";

const session = "2026-02-14_shop";
const given = { name: session, goal: "g", mode: "full", base: "main", baseCommit: "a".repeat(40) } as const;

/** A repository with a session in its ledger and on disk. */
async function shop() {
  const repository = temporaryRepository();
  const folder = join(repository.path, ".git", "lockstep");
  mkdirSync(folder, { mode: 0o700 });
  const ledger = await openSqliteLedger({ folder, create: true });
  const engine: Engine = await memoryEngine({ ledger });
  await openSession(engine, given, person);
  const root = repository.path;
  const file = join(root, ".agents-work", session, "status.json");
  return {
    ...{ engine, root, folder, file },
    publish: () => publishStatus(engine, { root, session }),
    publishOpen: () => publishOpen(engine, { root, stateFolder: folder }),
    blocker: async () => (await ledger.session(session))?.blocker,
    read: () => JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>,
    [Symbol.dispose]: () => {
      ledger.close();
      repository[Symbol.dispose]();
    },
  };
}

/** From INTAKE, with everything that the transitions need. */
async function goTo(engine: Engine, state: "APPROVE_DESIGN" | "REVIEW_STRATEGY" | "ASK_USER"): Promise<void> {
  const ways = {
    APPROVE_DESIGN: ["intake-done", "designed"],
    REVIEW_STRATEGY: ["intake-done", "designed", "approved", "planned"],
    ASK_USER: ["ask"],
  } as const;
  const needed = ["spec", "acceptance", "architecture", "approved-on-disk", "plan"];
  const facts = Object.fromEntries(needed.map((one) => [one, null]));
  for (const type of ways[state]) await moveSession(engine, { session, event: { type }, facts }, person);
}

describe("status.json", () => {
  it("shows the content of the ledger, and leaves no other file behind", async () => {
    using one = await shop();
    expect(await one.publish()).toBeUndefined();
    expect(one.read()).toMatchObject({ current_state: "INTAKE", session, mode: "full", user_decisions: [] });
    const event = { type: "note", assumptions: ['a "quoted" \u2028 text\n{'] } as const;
    await moveSession(one.engine, { session, event }, person);
    const about = { session, kind: "question", question: "which?", options: [] } as const;
    const context = { stateContext: "INTAKE", fromSecurity: false, about: ["a"] } as const;
    await askSession(one.engine, { ...about, ...context }, person);
    await operate(one.engine, "decide", { id: "UD-1", answer: '"}], "current_state": "DONE"' }, person);
    expect(await one.publish()).toBeUndefined();
    expect(one.read()).toMatchObject({
      current_state: "INTAKE",
      assumptions: ['a "quoted" \u2028 text\n{'],
      user_decisions: [{ decision_id: "UD-1", status: "answered", answer: '"}], "current_state": "DONE"' }],
    });
    expect(judgeStatusDocument(one.read())).toEqual([]);
    expect(readdirSync(join(one.root, ".agents-work", session))).toEqual(["status.json"]);
  });

  it.each([
    ["APPROVE_DESIGN", "UD-APPROVE-DESIGN", "approved"],
    ["REVIEW_STRATEGY", "UD-REVIEW-STRATEGY", "single-final"],
    ["ASK_USER", "UD-1", "half-even"],
  ] as const)(
    "has the question and the answer of %s, and blocks it if it cannot",
    async (state, id, answer) => {
      using one = await shop();
      await goTo(one.engine, state);
      if (state === "ASK_USER") {
        const about = { session, kind: "question", question: "which?", options: [] } as const;
        const context = { stateContext: "INTAKE", fromSecurity: false, about: ["a"] } as const;
        await askSession(one.engine, { ...about, ...context }, person);
      } else await askGate(one.engine, { session, gate: state, question: "this?", options: [] }, person);
      expect(await one.publishOpen()).toEqual([]);
      expect(one.read()).toMatchObject({
        current_state: state,
        user_decisions: [{ decision_id: id, status: "pending", answer: null, resolved_at: null }],
      });
      await operate(one.engine, "decide", { id, answer }, person);
      expect(await one.publishOpen()).toEqual([]);
      expect(one.read()).toMatchObject({
        user_decisions: [{ decision_id: id, status: "answered", answer, resolved_at: expect.any(String) }],
      });
      rmSync(one.file);
      mkdirSync(one.file);
      expect(await one.publishOpen()).toMatchObject([{ code: "E-STORE", details: { attempts: 4 } }]);
      expect(await one.blocker()).toMatchObject({ code: "persistence_failure", from: state });
    },
  );

  it("is restored if it was changed or removed", async () => {
    using one = await shop();
    await one.publish();
    const text = readFileSync(one.file, "utf8");
    writeFileSync(one.file, "{");
    await one.publish();
    expect(readFileSync(one.file, "utf8")).toBe(text);
    rmSync(join(one.root, ".agents-work"), { recursive: true });
    expect(await one.publishOpen()).toEqual([]);
    expect(readFileSync(one.file, "utf8")).toBe(text);
  });

  it("blocks its session if it cannot be written, after three more attempts, with the remedy", async () => {
    using one = await shop();
    mkdirSync(one.file, { recursive: true });
    const refused = await one.publish();
    const recovery = `fix it, then \`lockstep resume ${session}\``;
    const reason = expect.stringContaining(`.agents-work/${session}/status.json cannot be written: `);
    expect(refused).toMatchObject({ code: "E-STORE", reason, details: { attempts: 4 } });
    expect(refused?.reason).toMatch(new RegExp(`; ${recovery}$`));
    const blocker = { code: "persistence_failure", reason, recovery, from: "INTAKE" };
    expect(await one.engine.ledger.session(session)).toMatchObject({ state: "BLOCKED", blocker });
    rmSync(one.file, { recursive: true });
    expect(await one.publish()).toBeUndefined();
    expect(await publishStatus(one.engine, { root: one.root, session: "2026-01-01_x" })).toMatchObject({
      code: "R-IN-001",
    });
  });

  it("blocks its session if its folder cannot be restored, and nothing is written outside it", async () => {
    using one = await shop();
    await one.publish();
    backUpFiles(one.folder, one.root, session);
    rmSync(join(one.root, ".agents-work"), { recursive: true });
    writeFileSync(join(one.root, ".agents-work"), "in the way");
    const reason = expect.stringContaining("status.json cannot be written: ");
    expect(await one.publishOpen()).toMatchObject([{ code: "E-STORE", reason }]);
    expect(await one.blocker()).toMatchObject({ code: "persistence_failure", reason });
    expect(readFileSync(join(one.root, ".agents-work"), "utf8")).toBe("in the way");
  });

  it("keeps the first reason of a blocked session if it cannot be written", async () => {
    using one = await shop();
    mkdirSync(one.file, { recursive: true });
    const blocker = { code: "subagent_failure", reason: "r", recovery: "do this" };
    await moveSession(one.engine, { session, event: { type: "block", blocker } }, person);
    expect(await one.publish()).toMatchObject({ code: "E-STORE" });
    expect(await one.blocker()).toMatchObject(blocker);
  });

  it("is written by a later attempt if only the first ones fail", async () => {
    using one = await shop();
    mkdirSync(one.file, { recursive: true });
    const watcher = watch(dirname(one.file));
    const firstTry = once(watcher, "change");
    const publishing = one.publish();
    await firstTry;
    watcher.close();
    rmSync(one.file, { recursive: true });
    expect(await publishing).toBeUndefined();
    expect(one.read()).toMatchObject({ session });
  });

  const lies: readonly (readonly [string, (text: string) => string])[] = [
    ["half of it", (text) => text.slice(0, text.length / 2)],
    ["nothing", () => ""],
    ["other text that means the same", (text) => text.trimEnd()],
    ["a whole document of another state", (text) => text.replace('"INTAKE"', '"DESIGN"')],
    ["a document without its state", (text) => text.replace('"current_state"', '"state"')],
  ];

  it.each(lies)("is read back, and a disk that kept %s counts as a failed attempt", async (_what, keep) => {
    using one = await shop();
    let writes = 0;
    const lying = (times: number) => ({
      ...{ root: one.root, session },
      write: (file: string, text: string | Uint8Array) => {
        writes += 1;
        writeFileSync(file, writes <= times ? keep(String(text)) : text);
      },
    });
    expect(await publishStatus(one.engine, lying(3))).toBeUndefined();
    expect({ writes, state: one.read().current_state }).toEqual({ writes: 4, state: "INTAKE" });
    writes = 0;
    expect(await publishStatus(one.engine, lying(4))).toMatchObject({
      code: "E-STORE",
      details: { attempts: 4 },
    });
    expect(writes).toBe(4);
    expect(await one.blocker()).toMatchObject({ code: "persistence_failure" });
  });

  it("is not written through a link from a branch", async () => {
    using one = await shop();
    const elsewhere = join(one.root, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(one.root, ".agents-work"));
    expect(await one.publish()).toMatchObject({
      code: "E-STORE",
      reason: expect.stringContaining("is not a folder"),
    });
    expect(readdirSync(elsewhere)).toEqual([]);
    unlinkSync(join(one.root, ".agents-work"));
    mkdirSync(join(one.root, ".agents-work", session), { recursive: true });
    writeFileSync(join(elsewhere, "kept"), "mine");
    symlinkSync(join(elsewhere, "kept"), one.file);
    expect(await one.publish()).toBeUndefined();
    expect(readFileSync(join(elsewhere, "kept"), "utf8")).toBe("mine");
  });

  it("is never older than the state its last writer knew, and never partial for a reader", async () => {
    using one = await shop();
    await one.publish();
    const stop = join(one.root, "stop");
    const reader = `
      const { existsSync, readFileSync } = require("node:fs");
      let reads = 0;
      for (; !existsSync(${JSON.stringify(stop)}); reads += 1)
        JSON.parse(readFileSync(${JSON.stringify(one.file)}, "utf8"));
      console.log(reads);
    `;
    const reading = promisify(execFile)(process.execPath, ["-e", reader]);
    const notes = Array.from({ length: 20 }, (_, n) => `note ${n}`);
    await Promise.all(
      notes.map(async (note) => {
        await moveSession(one.engine, { session, event: { type: "note", assumptions: [note] } }, person);
        expect(await one.publish()).toBeUndefined();
        expect(one.read().assumptions).toContain(note);
      }),
    );
    writeFileSync(stop, "");
    expect(Number((await reading).stdout)).toBeGreaterThan(notes.length);
    expect(one.read().assumptions).toHaveLength(notes.length);
  });

  it("waits for another process that is writing it, at most until that process ends", async () => {
    using one = await shop();
    const holder = `
      const { DatabaseSync } = require("node:sqlite");
      const lock = new DatabaseSync(${JSON.stringify(join(one.folder, "status.lock"))});
      lock.exec("BEGIN EXCLUSIVE");
      console.log("held");
      setInterval(() => {}, 1000);
    `;
    const other = spawn(process.execPath, ["-e", holder], { stdio: ["ignore", "pipe", "ignore"] });
    try {
      await new Promise((resolve) => other.stdout.once("data", resolve));
      let isDone = false;
      const publishing = one.publish().then((refused) => {
        isDone = true;
        return refused;
      });
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(isDone).toBe(false);
      other.kill("SIGKILL");
      expect(await publishing).toBeUndefined();
    } finally {
      other.kill("SIGKILL");
    }
  });
});

describe("the history of a design", () => {
  const line = (answer: string) => ({
    ...{ at: "2026-02-14T20:00:00.000Z", decision_id: "UD-APPROVE-DESIGN", answer },
    state_context: "APPROVE_DESIGN",
  });

  it("has one line for each request, in order", async () => {
    using repository = temporaryRepository();
    const file = join(repository.path, ".agents-work", session, "approve-design-history.jsonl");
    const [one, two] = [line("changes-requested: fewer\nmodules"), line("changes-requested: more tests")];
    for (const request of [one, one, two, one])
      expect(appendHistory(repository.path, session, request)).toBeUndefined();
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(lines.map((text) => JSON.parse(text))).toEqual([one, two]);
  });

  it("continues after a partial line, and keeps the earlier text", async () => {
    using repository = temporaryRepository();
    const file = join(repository.path, ".agents-work", session, "approve-design-history.jsonl");
    repository.write(`.agents-work/${session}/approve-design-history.jsonl`, '{"at":"2026');
    expect(appendHistory(repository.path, session, line("changes-requested: x"))).toBeUndefined();
    expect(readFileSync(file, "utf8")).toBe(`{"at":"2026\n${JSON.stringify(line("changes-requested: x"))}\n`);
  });

  it("is required: a failed write is reported as a refusal", async () => {
    using repository = temporaryRepository();
    mkdirSync(join(repository.path, ".agents-work", session, "approve-design-history.jsonl"), {
      recursive: true,
    });
    expect(appendHistory(repository.path, session, line("changes-requested: x"))).toMatchObject({
      code: "E-STORE",
      reason: expect.stringContaining("approve-design-history.jsonl cannot be written"),
    });
  });
});
