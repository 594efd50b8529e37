import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { seededRandom } from "../../bench/random.ts";
import { judgeStatusDocument } from "../../src/core/session/judge-status.ts";
import { eventually } from "../support/run-command.ts";
import { type TeamRepository, teamRepository } from "../support/team-repository.ts";

const random = seededRandom(20_261_115);

const states = [
  "INTAKE",
  "DESIGN",
  "APPROVE_DESIGN",
  "PLAN",
  "IMPLEMENT_LOOP",
  "FIX_REVIEW",
  "FIX_TESTS",
  "FIX_SECURITY",
  "FIX_BUILD",
  "INTEGRATE",
  "RELEASE",
];
const ids = ["T-001", "T-002", "T-003"];
const refuses = (file: string) => ({
  ...{ status: "BLOCKED", works: false, summary: "too short" },
  until: { file, has: "repaired" },
});
const requests = {
  sleep: 500,
  tasks: ids.map((id, at) => ({
    ...{
      id,
      goal: `write ${id}.txt`,
      lock_scope: [`${id}.txt`],
      acceptance_checks: [`cmd: test -e ${id}.txt`],
    },
    ...(at === 0 ? {} : { depends_on: [ids[at - 1]] }),
    risk_flags: [at === 2 ? "security" : "none"],
  })),
  "Reviewer T-001": refuses("T-001.txt"),
  "QA T-002": refuses("T-002.txt"),
  "Security T-003": refuses("T-003.txt"),
  verify: ["cmd: test -e fixes/FIX-4.txt"],
};

/** After a kill in any state the session continues: no question is asked twice, and no work is done twice. */
it("a session that is killed in each of its states still reaches its end", async () => {
  using repository = teamRepository(requests);
  const answers = ["changes-requested: three modules", "approved", "per-batch"];
  for (const state of states) {
    await answer(repository, answers, state);
    using running = repository.launch(state === "INTAKE" ? ["start", "Two small files"] : ["resume"]);
    await eventually(`${state}\n${running.errors()}`, () => reached(repository, state));
    await sleep(random() * 400);
    running.process.kill("SIGKILL");
    await running.ended;
    expect(judgeStatusDocument(repository.status()), state).toEqual([]);
  }
  const { status, stderr } = await repository.resume();
  expect(status, stderr).toBe(0);
  expect(repository.status().current_state).toBe("DONE");
  expect((await repository.returns()).toSorted()).toEqual(
    "architecture correction final-review final-security integration plan release spec".split(" "),
  );
  const asked = repository.status().user_decisions.map(({ decision_id: id }) => id);
  expect(asked).toEqual(["UD-APPROVE-DESIGN", "UD-REVIEW-STRATEGY"]);
  expect(repository.file("approve-design-history.jsonl").trim().split("\n")).toHaveLength(1);
  const subjects = repository.git("log", "--first-parent", "--format=%s", "main").split("\n");
  for (const id of [...ids, "FIX-4"])
    expect(
      subjects.filter((subject) => subject.startsWith(`${id}:`)),
      subjects.join("\n"),
    ).toHaveLength(1);
}, 300_000);

/** The answers that are needed to reach a state; APPROVE_DESIGN is killed during the correction. */
async function answer(repository: TeamRepository, answers: string[], state: string): Promise<void> {
  const gates: Readonly<Record<string, readonly string[]>> = {
    APPROVE_DESIGN: ["UD-APPROVE-DESIGN"],
    PLAN: ["UD-APPROVE-DESIGN"],
    IMPLEMENT_LOOP: ["UD-REVIEW-STRATEGY"],
  };
  for (const gate of gates[state] ?? []) {
    const waiting = await repository.resume();
    expect(waiting.status, waiting.stderr).toBe(3);
    expect((await repository.decide(gate, answers.shift() ?? "")).status).toBe(0);
  }
}

function reached(repository: TeamRepository, state: string): true | undefined {
  if (!repository.has("status.json")) return undefined;
  const { current_state: now, gate_tracking: gates } = repository.status();
  const isCorrecting = JSON.stringify(gates ?? {}).includes('"dispatched"');
  return now === state && (state !== "APPROVE_DESIGN" || isCorrecting) ? true : undefined;
}
