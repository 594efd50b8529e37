import { describe, expect, it } from "vitest";
import { reportSession } from "../../src/cli/look/report-session.ts";
import { configOf } from "../support/loaded-config.ts";
import { memoryEngine, person } from "../support/memory-engine.ts";
import { sessionAtGate, sessionName, sessionRepository } from "../support/session-repository.ts";
import { teamRepository } from "../support/team-repository.ts";

describe("the reports about a session", () => {
  it("name the tasks that weaken tests, in the report and in the status", async () => {
    const runner = "tox.ini";
    using repository = teamRepository(
      {
        tasks: [
          {
            ...{ id: "T-001", goal: "tune", lock_scope: [runner] },
            acceptance_checks: [`cmd: test -e ${runner}`],
          },
        ],
      },
      "tests: { weaken: allow }\n",
    );
    const { status, stderr, done } = await repository.start("Tune the tests", "--lean");
    expect(status, stderr).toBe(0);
    const less = `\nT-001  tests weakened: ${runner}: configuration added\n`;
    for (const words of [["resume"], ["status"]])
      expect((await repository.run(words)).stdout).toContain(less);
    const document = JSON.parse((await repository.run(["status", "--json"])).stdout);
    expect(document).toMatchObject({ session: done.session, workflow: { session: done.session } });
  });

  it("name the next step when no question is open and no agent is at work", async () => {
    using repository = await sessionRepository();
    const continued = `no run is active: to continue, run \`lockstep resume ${sessionName}\`\n`;
    const statusText = async () => (await repository.run(["status"])).stdout;
    expect(await statusText()).not.toContain("no run is active");
    const { status, stderr } = await repository.run(["decide", "UD-APPROVE-DESIGN", "approved"]);
    expect(status, stderr).toBe(0);
    expect(await statusText()).toContain(continued);
  });

  it("name the isolation of its agents, if it is known", async () => {
    const engine = await memoryEngine();
    await sessionAtGate(engine);
    const session = await engine.ledger.session(sessionName);
    if (session === undefined) throw new Error("no session");
    const at = { base: "main", baseRef: "refs/heads/main", baseCommit: "a".repeat(40) };
    const repository = { root: "/r", commonFolder: "/r/.git", ...at };
    const rest = { config: await configOf({}), call: person, dryRun: false, onProgress: () => undefined };
    const walls = { guard: false, sandbox: true, diff: true };
    const statusText = await reportSession({ engine, repository, ...rest }, session, "waiting", walls);
    expect(statusText).toMatchObject({ exit: 3, document: { session: sessionName, walls } });
  });
});
