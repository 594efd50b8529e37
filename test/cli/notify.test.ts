import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hearDecisions, openNotifier } from "../../src/cli/open/notify-person.ts";
import { askGate, reopenGate } from "../../src/engine/decisions/ask-gate.ts";
import { askPerson } from "../../src/engine/decisions/ask-person.ts";
import { moveSession } from "../../src/engine/sessions/move-session.ts";
import type { Decision } from "../../src/ledger/ledger.ts";
import { landRepository } from "../support/land-repository.ts";
import { memoryEngine, person } from "../support/memory-engine.ts";
import { answer, planned, writes } from "../support/planned-repository.ts";
import { sessionAtGate, sessionName } from "../support/session-repository.ts";
import { teamRepository } from "../support/team-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const variables = ["", "_KIND", "_TASK", "_TEXT"].map((end) => `$LOCKSTEP_DECISION${end}`).join("|");
const script = `mkdir -p state; { cat; echo "${variables}|$LOCKSTEP_TASK"; } >> state/heard`;
const config = `notify: { command: [sh, -c, ${JSON.stringify(script)}] }\n`;

/** The input of the configured command: each decision, and its variables. */
function notificationsIn({
  path,
}: {
  readonly path: string;
}): readonly (readonly [{ id: string }, string])[] {
  const file = join(path, "state/heard");
  const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  return lines.flatMap((line, at) =>
    at % 2 === 0 ? [[JSON.parse(line) as { id: string }, lines[at + 1] ?? ""] as const] : [],
  );
}

const manualTask = (statement: string) =>
  `{ id: A, goal: do A, agent: a, lock_scope: [A.txt], acceptance_checks: [${JSON.stringify(`manual: ${statement}`)}] }`;
const agents = { a: [[writes("A"), answer("OK")]] };

describe("a new open decision", () => {
  it("is reported to the configured command, once, however often the run is started", async () => {
    using repository = planned({ agents, tasks: [manualTask("it reads well")], config });
    const { status, stderr } = await repository.run(["run"]);
    expect(status, stderr).toBe(3);
    const [[decision, text] = [], ...more] = notificationsIn(repository);
    expect(more).toEqual([]);
    expect(decision).toEqual({
      id: "UD-1",
      kind: "manual",
      task: expect.stringMatching(/\/A$/),
      question: expect.stringContaining("it reads well"),
      options: ["approved", "refused"],
      asked_at: expect.stringMatching(/^2\d{3}-/),
    });
    expect(text).toMatch(/^UD-1\|manual\|\S+\/A\|Lockstep: UD-1: .*it reads well"\?\|$/);
    expect(stderr).not.toContain("\u0007");
    expect((await repository.run(["run"])).status).toBe(3);
    expect(notificationsIn(repository)).toHaveLength(1);
  });

  it("is reported by `land`, also with JSON output; a failing command is reported once, and changes nothing", async () => {
    const failing = `notify: { command: [sh, -c, ${JSON.stringify(`${script}; echo broken; exit 4`)}] }\n`;
    using repository = landRepository({ ".lockstep/config.yaml": failing });
    repository.branch("one", { "one.js": "1;\n" });
    repository.branch("two", { "two.js": "1;\n" });
    const { status, landed, stderr } = await repository.land("one", "two", "--proves", "true");
    expect({ status, outcome: landed.outcome }, stderr).toEqual({ status: 3, outcome: "waiting" });
    expect(notificationsIn(repository).map(([{ id }]) => id)).toEqual(["UD-1", "UD-2"]);
    expect(
      stderr.match(/`notify\.command` failed \(exit 4\): broken; `lockstep decide` lists/g),
    ).toHaveLength(1);
  });

  it("is reported by `start` at a gate, and not again by `resume`", async () => {
    using repository = teamRepository({}, config);
    expect((await repository.start("two-files")).status).toBe(3);
    expect((await repository.resume()).status).toBe(3);
    expect(notificationsIn(repository).map(([{ id }]) => id)).toEqual([
      expect.stringContaining("UD-APPROVE-DESIGN"),
    ]);
  });

  it.skipIf(!existsSync("/usr/bin/script"))(
    "rings on a terminal and shows a notification without control characters",
    async () => {
      using repository = planned({ agents, tasks: [manualTask("it \u009d9;reads\u009c well")], config });
      const through = ["sh", "-c", 'exec script -qec "$*" /dev/null', "sh"];
      const env = { CI: "", NO_COLOR: "1", TERM: "xterm" };
      const { stdout } = await repository.run(["run"], { env, through });
      const rung = stdout.split("\u0007\u001b]9;").slice(1);
      expect(rung).toEqual([expect.stringMatching(/^Lockstep: UD-1: [^\p{Cc}]*it 9;reads well"\?\p{Cc}/u)]);
      expect(notificationsIn(repository)).toHaveLength(1);
    },
  );
});

const decision: Decision = {
  ...{ id: "UD-1", version: 0, kind: "manual", task: "T-1", question: "is it?", options: [], data: {} },
  ...{ state: "pending", answer: null, askedAt: "2026-01-01T00:00:00.000Z", answeredAt: null },
};

describe("the configured command", () => {
  it.each([
    ["that hangs is stopped", ["sh", "-c", "sleep 60"], "(timeout after 0.2 s)"],
    ["that does not exist stops nothing", ["no-such-program"], "`no-such-program` cannot be started"],
  ])("%s", async (_, command, text) => {
    using folder = temporaryFolder();
    const lines: string[] = [];
    const options = {
      command,
      cwd: folder.path,
      json: true,
      commandMsMax: 200,
      say: (line: string) => lines.push(line),
    };
    {
      await using notifier = openNotifier(options);
      notifier.tell(decision);
    }
    expect(lines).toEqual([expect.stringContaining(text)]);
  });
});

describe("the decisions that a process commits", () => {
  it("are reported when they open, once", async () => {
    const engine = await memoryEngine();
    const received: string[] = [];
    hearDecisions(engine.ledger, ({ id }) => received.push(id));
    const asked = {
      kind: "manual",
      task: "T-1",
      question: "is it?",
      options: [],
      about: ["1"],
      data: {},
    } as const;
    await askPerson(engine, asked, { ...person, dryRun: true });
    expect(received).toEqual([]);
    await askPerson(engine, asked, person);
    await askPerson(engine, asked, person);
    await sessionAtGate(engine);
    const gate = { session: sessionName, gate: "APPROVE_DESIGN" } as const;
    // The question has changed, and is already open.
    await askGate(engine, { ...gate, question: "is this it now?", options: ["approved"] }, person);
    await reopenGate(engine, gate, person);
    const decisions = (await engine.ledger.decisions()).slice(-1);
    const event = { type: "note", knownIssues: ["slow"] } as const;
    await moveSession(engine, { session: sessionName, event, decisions }, person);
    expect(await engine.ledger.events({ type: "decision.asked" })).toHaveLength(3);
    expect(received).toEqual(["UD-1", `${sessionName}/UD-APPROVE-DESIGN`]);
  });
});
