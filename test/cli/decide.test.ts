import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answerAtPrompt } from "../../src/cli/prompt/answer-prompt.ts";
import type { Engine } from "../../src/engine/change/engine.ts";
import { askGate } from "../../src/engine/decisions/ask-gate.ts";
import { askManual } from "../../src/engine/decisions/ask-manual.ts";
import { askSession } from "../../src/engine/decisions/ask-session.ts";
import { operate } from "../../src/engine/operate.ts";
import { moveSession } from "../../src/engine/sessions/move-session.ts";
import { keepVersion } from "../../src/session/files/design-versions.ts";
import { type GateDocuments, gateDocuments } from "../../src/session/files/gate-documents.ts";
import { memoryEngine, person } from "../support/memory-engine.ts";
import { eventually, startProgram, temporaryRepository } from "../support/run-command.ts";
import { command } from "../support/run-hook.ts";
import { gateId, sessionAtGate, sessionName, sessionRepository } from "../support/session-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ask = (engine: Engine, about: string, more: object = {}) =>
  askSession(
    engine,
    {
      ...{ session: sessionName, kind: "question", question: `which ${about}?`, options: [] },
      ...{ stateContext: "DESIGN", fromSecurity: false, about: [about] },
      ...more,
    },
    person,
  );

describe("a person at the prompt", () => {
  /** A person who types these lines, and the output that they read meanwhile. */
  async function typing(
    given: Engine | { engine: Engine; documents: GateDocuments },
    ...lines: readonly string[]
  ) {
    const { engine, documents } = "engine" in given ? given : { engine: given, documents: undefined };
    const left = [...lines];
    let shown = "";
    const prompt = {
      columns: 80,
      tell: (text: string) => {
        shown += text;
      },
      ask: async (text: string) => {
        shown += text;
        const line = left.shift();
        shown += line === undefined ? "^D\n" : `${line}\n`;
        return line;
      },
    };
    const settled = await answerAtPrompt({ engine, call: person, prompt, ...(documents && { documents }) });
    const all = await engine.ledger.decisions();
    return {
      ...{ shown, left, settled: settled.map(({ id }) => id) },
      entries: Object.fromEntries(all.map(({ id, state, answer }) => [id, `${state}: ${answer}`])),
    };
  }

  it("is asked all open questions, in order, with what each is about", async () => {
    const engine = await memoryEngine();
    await sessionAtGate(engine);
    engine.sleep(1);
    await ask(engine, "rounding", { options: ["up", "down"] });
    engine.sleep(1);
    const findings = ["the price is shown twice"];
    await ask(engine, "risk", { fromSecurity: true, data: { findings } });
    engine.sleep(1);
    await askManual(engine, { task: "T-1", criterion: "reads well", commit: "a".repeat(40) }, person);
    const { shown, entries, settled } = await typing(
      engine,
      "Approved",
      "UP",
      "accepted",
      "refused: too long",
    );
    expect(entries).toEqual({
      [gateId]: "answered: approved",
      "UD-1": "answered: up",
      "UD-2": "answered: accepted",
      "UD-3": "answered: refused: too long",
    });
    expect(settled).toEqual([gateId, "UD-1", "UD-2", "UD-3"]);
    expect(shown).toContain(
      `\nUD-APPROVE-DESIGN  ${sessionName}, APPROVE_DESIGN (1 of 4)\n  is this the design to build?\n`,
    );
    expect(shown).toContain(
      `\nUD-1  ${sessionName}, DESIGN (2 of 4)\n  which rounding?\n  answer: up, or down\n`,
    );
    expect(shown).toContain("  - the price is shown twice\n");
    expect(shown).toContain("  to see the work: lockstep diff T-1\n");
  });

  it("may leave ordinary questions unanswered, which are cancelled after a confirmation", async () => {
    const engine = await memoryEngine();
    await sessionAtGate(engine);
    await operate(engine, "decide", { id: gateId, answer: "approved" }, person);
    for (const about of ["rounding", "colour"]) await ask(engine, about);
    const refused = await typing(engine, "", "", "n");
    expect(refused.shown).toContain("UD-1, UD-2 have no answers: continue without them? [y/N] n\n");
    for (const id of ["UD-1", "UD-2"])
      expect(refused.shown).toContain(`  ${id} is still open: \`lockstep decide ${id}\` asks again\n`);
    expect(refused.entries).toMatchObject({ "UD-1": "pending: null", "UD-2": "pending: null" });
    const { entries, settled } = await typing(engine, "half-even", "", "y");
    expect(entries).toMatchObject({
      "UD-1": "answered: half-even",
      "UD-2": "cancelled: no response provided",
    });
    expect(settled).toEqual(["UD-1", "UD-2"]);
  });

  it("may leave a question that blocks a merge, which stays open: the merge needs its answer", async () => {
    const engine = await memoryEngine();
    await askManual(engine, { task: "T-1", criterion: "reads well", commit: "a".repeat(40) }, person);
    const { shown, entries, settled } = await typing(engine, "", "y");
    expect(shown).not.toContain("continue without");
    expect(shown).toContain("  UD-1 is still open: `lockstep decide UD-1` asks again\n");
    expect({ entries, settled }).toEqual({ entries: { "UD-1": "pending: null" }, settled: [] });
  });

  it("may name a decision in lower case", async () => {
    const engine = await memoryEngine();
    await sessionAtGate(engine);
    for (const id of ["ud-approve-design", "ud-1"]) {
      if (id === "ud-1") await ask(engine, "rounding");
      expect(await operate(engine, "decide", { id, answer: "approved" }, person)).toMatchObject({
        allow: true,
      });
    }
  });

  it("is asked again after an invalid answer, three times, and then the question stays open", async () => {
    const engine = await memoryEngine();
    await sessionAtGate(engine);
    await operate(engine, "decide", { id: gateId, answer: "approved" }, person);
    await ask(engine, "rounding", { options: ["up", "down"] });
    const { shown, entries, left } = await typing(engine, "a", "b", "c", "d", "up");
    expect(shown).toContain("`a` is not a valid answer: answer one of up, down");
    expect(shown).toContain("  UD-1 is still open: `lockstep decide UD-1` asks again\n");
    expect(entries["UD-1"]).toBe("pending: null");
    expect(left).toEqual(["up"]);
  });

  it("cannot skip a security question without a reason, but may defer it", async () => {
    const engine = await memoryEngine();
    await sessionAtGate(engine);
    await operate(engine, "decide", { id: gateId, answer: "approved" }, person);
    await ask(engine, "risk", { fromSecurity: true });
    const silent = await typing(engine, "", "", "", "");
    expect(silent.shown.match(/an answer is required/g)).toHaveLength(5);
    expect(silent.entries["UD-1"]).toBe("pending: null");
    const { entries } = await typing(engine, "", "cancel: user deferred: next sprint");
    expect(entries["UD-1"]).toBe("cancelled: user deferred: next sprint");
  });

  it("sees the design and its changes before the answer", async () => {
    using folder = temporaryFolder();
    const engine = await memoryEngine();
    await sessionAtGate(engine);
    const asked = (text: string) =>
      askGate(
        engine,
        {
          ...{
            session: sessionName,
            gate: "APPROVE_DESIGN",
            question: "this design?",
            options: ["approved"],
          },
          data: { documents: [keepVersion(folder.path, "spec.md", text)] },
        },
        person,
      );
    await asked("# Spec\n\nTwo digits.\n");
    const documents = gateDocuments(folder.path);
    const first = await typing({ engine, documents }, "o", "d");
    expect(first.shown).toContain("  ── spec.md ──\n  # Spec\n  \n  Two digits.\n");
    expect(first.shown).not.toContain("type d to see what changed");
    await asked("# Spec\n\nThree digits.\n");
    const second = await typing({ engine, documents }, "d", "yes");
    expect(second.shown).toContain("  type d to see what changed since you were last asked\n");
    expect(second.shown).toMatch(
      /── spec\.md ──\n {2}@@.*\n[\s\S]* {2}-Two digits\.\n {2}\+Three digits\.\n/,
    );
    expect(second.entries[gateId]).toBe("answered: approved");
  });

  it("accepts the recommendation with Enter", async () => {
    const engine = await memoryEngine();
    await sessionAtGate(engine);
    const question = {
      question: "how?",
      options: ["per-batch", "single-final"],
      data: { recommended: "single-final" },
    };
    await askGate(engine, { session: sessionName, gate: "REVIEW_STRATEGY", ...question }, person);
    const { shown, entries } = await typing(engine, "y", "");
    expect(shown).toContain("  press Enter for single-final\n");
    expect(Object.values(entries)).toEqual(["answered: approved", "answered: single-final"]);
  });

  it("blocks the session by giving no answer at a gate, and not by closing the prompt", async () => {
    const engine = await memoryEngine();
    await sessionAtGate(engine);
    const ended = await typing(engine, "perhaps");
    expect(ended.entries[gateId]).toBe("pending: null");
    expect(ended.settled).toEqual([]);
    const silent = await typing(engine, "", "", "", "");
    expect(silent.entries[gateId]).toBe("pending: null");
    const { entries, shown } = await typing(engine, "maybe", "perhaps", "who knows");
    expect(shown.replace(/\s+/g, " ")).toContain(
      `the session is blocked; \`lockstep resume ${sessionName}\` asks again`,
    );
    expect(entries[gateId]).toBe("cancelled: no valid answer after asking 3 more times");
    expect(await engine.ledger.session(sessionName)).toMatchObject({ state: "BLOCKED" });
  });
});

describe("lockstep decide", () => {
  it("lists a gate by its short name, takes the answer, shows it in status.json and prints the next step", async () => {
    using repository = await sessionRepository();
    const list = await repository.run(["decide"]);
    expect(list.stdout).toBe(
      `UD-APPROVE-DESIGN  ${sessionName}\n  is this the design to build?\n  lockstep decide UD-APPROVE-DESIGN approved\n  lockstep decide UD-APPROVE-DESIGN 'changes-requested: …'\n`,
    );
    const wrong = await repository.run(["decide", "UD-APPROVE-DESIGN", "maybe"]);
    expect(wrong).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("R-IN-001: `maybe` is not a valid answer"),
    });
    const answered = await repository.run([
      "decide",
      "UD-APPROVE-DESIGN",
      "changes-requested: fewer modules",
    ]);
    expect(answered).toMatchObject({
      status: 0,
      stdout: `decision ${gateId} is answered: changes-requested: fewer modules\n`,
      stderr: `to continue: lockstep resume ${sessionName}\n`,
    });
    expect(repository.status()).toMatchObject({
      current_state: "APPROVE_DESIGN",
      user_decisions: [
        { decision_id: "UD-APPROVE-DESIGN", status: "answered", answer: "changes-requested: fewer modules" },
      ],
    });
    const shown = await repository.run(["decide", "UD-APPROVE-DESIGN", "--json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject([{ id: gateId, state: "answered" }]);
    expect((await repository.run(["decide"])).stdout).toBe("nothing is waiting for you\n");
  });

  it("rejects a short name that matches the gates of two sessions, and shows full names while both are open", async () => {
    using repository = await sessionRepository();
    const later = "2026-02-15_later";
    await repository.within((engine) => sessionAtGate(engine, later));
    const laterId = `${later}/UD-APPROVE-DESIGN`;
    for (const words of [["approved"], ["--cancel", "x"], ["--json"]])
      expect(await repository.run(["decide", "UD-APPROVE-DESIGN", ...words])).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(`is pending in 2 sessions: use \`${gateId}\` or \`${laterId}\``),
      });
    const states = () =>
      repository.within(async ({ ledger }) => (await ledger.decisions()).map((one) => one.state));
    expect(await states()).toEqual(["pending", "pending"]);
    for (const words of [["decide"], ["decide", gateId], ["status"]])
      expect((await repository.run(words)).stdout).toContain(`lockstep decide ${gateId} approved\n`);
    expect((await repository.run(["decide", laterId, "approved"])).stdout).toBe(
      `decision ${laterId} is answered: approved\n`,
    );
    expect((await repository.run(["decide"])).stdout).toContain(
      "lockstep decide UD-APPROVE-DESIGN approved\n",
    );
    expect((await repository.run(["decide", "UD-APPROVE-DESIGN", "yes"])).stdout).toBe(
      `decision ${gateId} is answered: approved\n`,
    );
  });

  it("shows that a decision about a repair may have a comment", async () => {
    using repository = await sessionRepository();
    await repository.within((engine) =>
      ask(engine, "repair", { kind: "repair", options: ["retry", "accept"] }),
    );
    const commands = ["retry", "'retry: …'", "accept", "'accept: …'"].map(
      (answer) => `  lockstep decide UD-1 ${answer}\n`,
    );
    expect((await repository.run(["decide", "UD-1"])).stdout).toBe(
      `UD-1  ${sessionName}\n  which repair?\n${commands.join("")}`,
    );
    expect((await repository.run(["decide", "UD-1", "retry: with less"])).status).toBe(0);
  });

  it("that cancels a gate blocks the session, and status.json has that and the next step", async () => {
    using repository = await sessionRepository();
    expect((await repository.run(["decide", gateId, "--cancel", "next week"])).status).toBe(0);
    expect(repository.status()).toMatchObject({
      current_state: "BLOCKED",
      blocker: {
        code: "mandatory_user_decision_missing",
        reason: "UD-APPROVE-DESIGN: next week",
        recovery: `\`lockstep resume ${sessionName}\` asks again`,
        from_state: "APPROVE_DESIGN",
      },
      user_decisions: [{ status: "cancelled", answer: null, resolution_reason: "next week" }],
    });
  });

  it("by an agent is refused, and the question stays open", async () => {
    using repository = await sessionRepository();
    const env = { LOCKSTEP_TASK: "T-1", LOCKSTEP_EPOCH: "1" };
    for (const id of ["UD-APPROVE-DESIGN", gateId])
      expect(await repository.run(["decide", id, "approved"], { env })).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("R-AU-001"),
      });
    expect(await repository.within(({ ledger }) => ledger.decisions())).toMatchObject([{ state: "pending" }]);
  });

  it("blocks a session whose status.json cannot be written, keeps the answer, and prints the remedy", async () => {
    using repository = await sessionRepository();
    const inTheWay = `.agents-work/${sessionName}/status.json`;
    repository.write(`${inTheWay}/in-the-way`, "");
    const answered = await repository.run(["decide", "UD-APPROVE-DESIGN", "approved"]);
    expect(answered.status).toBe(1);
    expect(answered.stderr).toMatch(
      new RegExp(
        `^lockstep: E-STORE: ${inTheWay} cannot be written: .*; fix it, then \`lockstep resume ${sessionName}\`$`,
        "m",
      ),
    );
    expect(await repository.within(({ ledger }) => ledger.decisions())).toMatchObject([
      { state: "answered", answer: "approved" },
    ]);
    expect((await repository.run(["status"])).stdout).toMatch(
      new RegExp(
        `^${sessionName}  BLOCKED in APPROVE_DESIGN, full mode\n  persistence_failure: ${inTheWay} cannot be written: .*\n  fix it, then \`lockstep resume ${sessionName}\`$`,
        "m",
      ),
    );
    rmSync(join(repository.path, inTheWay), { recursive: true });
    // The next write includes it.
    await repository.run(["decide", "UD-APPROVE-DESIGN", "approved"]);
    expect(repository.status()).toMatchObject({
      current_state: "BLOCKED",
      blocker: { code: "persistence_failure" },
      user_decisions: [{ answer: "approved" }],
    });
  });

  it("asks at a terminal until all questions are answered", async () => {
    using repository = await sessionRepository();
    const words = ["script", "-qec", `${process.execPath} ${command} decide`, "/dev/null"];
    using running = startProgram(words, {
      cwd: repository.path,
      input: "later",
      env: { CI: "", TERM: "xterm" },
    });
    let shown = "";
    running.process.stdout?.on("data", (chunk: Buffer) => {
      shown += chunk.toString();
    });
    const prompts = () => shown.split("UD-APPROVE-DESIGN> ").length - 1;
    await eventually("the prompt", () => (prompts() === 1 ? true : undefined));
    running.process.stdin?.write("perhaps\n");
    await eventually("the second prompt", () => (prompts() === 2 ? true : undefined));
    running.process.stdin?.write("approved\n");
    const { status, stdout } = await running.ended;
    expect(stdout.replace(/\s+/g, " ")).toContain(`\`perhaps\` is not a valid answer to ${gateId}`);
    expect(stdout).toContain(`to continue: lockstep resume ${sessionName}`);
    expect(status).toBe(0);
    expect(repository.status()).toMatchObject({ user_decisions: [{ answer: "approved" }] });
  });
});

describe("lockstep status", () => {
  it("lists open questions, then the state of the session, and leaves the session's own task out of the list", async () => {
    using repository = await sessionRepository();
    const { stdout } = await repository.run(["status"]);
    expect(stdout).toBe(
      [
        "waiting for you",
        "  UD-APPROVE-DESIGN  is this the design to build?",
        "      lockstep decide UD-APPROVE-DESIGN approved",
        "      lockstep decide UD-APPROVE-DESIGN 'changes-requested: …'",
        "",
        `${sessionName}  APPROVE_DESIGN, full mode`,
        "",
        "no tasks yet\n",
      ].join("\n"),
    );
    await repository.run(["task", "add", `${sessionName}/meta`]);
    await repository.run(["task", "add", `${sessionName}/T-1`]);
    const document = JSON.parse((await repository.run(["status", "--json"])).stdout) as Record<
      string,
      unknown
    >;
    expect(document.workflow).toEqual({
      ...{
        session: sessionName,
        state: "APPROVE_DESIGN",
        mode: "full",
        dispatched: null,
        blocker: null,
        over: null,
      },
    });
    expect(document.tasks).toMatchObject([{ id: "T-1", key: `${sessionName}/T-1` }]);
    expect(document.decisions).toMatchObject([{ id: gateId, kind: "approve-design" }]);
  });

  it("shows the question and its time, and what blocks the session, with the remedy", async () => {
    using repository = await sessionRepository();
    const dispatched = { role: "Architect", purpose: "architecture", agent: "coder" } as const;
    const event = { type: "dispatch", dispatched } as const;
    await repository.within((engine) => moveSession(engine, { session: sessionName, event }, person));
    expect((await repository.run(["status"])).stdout).toMatch(
      /^\S+_shop {2}APPROVE_DESIGN, full mode, Architect \(coder\) was asked at [\d:]{8}, but no run is active$/m,
    );
    await repository.within((engine) =>
      moveSession(engine, { session: sessionName, event: { type: "give-up" } }, person),
    );
    await repository.run(["decide", "UD-APPROVE-DESIGN", "--cancel", "later"]);
    expect((await repository.run(["status"])).stdout).toBe(
      [
        `${sessionName}  BLOCKED in APPROVE_DESIGN, full mode`,
        "  mandatory_user_decision_missing: UD-APPROVE-DESIGN: later",
        `  \`lockstep resume ${sessionName}\` asks again`,
        "",
        "no tasks yet\n",
      ].join("\n"),
    );
  });

  it("has no workflow if none was started", async () => {
    using repository = temporaryRepository();
    const { stdout } = await repository.run(["status", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ workflow: null });
  });
});
