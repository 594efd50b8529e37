import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hooked, program, programAgent, resultOf } from "../support/hooked-run.ts";
import { limitedClient } from "../support/limited-client.ts";
import { answer, task, writes } from "../support/planned-repository.ts";
import { eventually } from "../support/run-command.ts";
import { teamRepository } from "../support/team-repository.ts";

const typed = task("A", "a", ", type: product");
const reviewedBy = (...agents: string[]) =>
  `task_types: { product: { agents: { gatekeeper: [${agents.join(", ")}] } } }\n`;
const goal = "Two small text files";

/** Correct work in `A.txt`, and its reviewer. */
const reviewed = (config: string, files: Readonly<Record<string, string>> = {}) =>
  hooked({
    agents: { a: [[writes("A"), answer("OK")]] },
    tasks: [typed],
    config,
    files,
  });

describe("a reviewer", () => {
  it("without quota is paused, and is asked again when quota is available", async () => {
    using client = limitedClient({ error: "rate_limit", resetsInMs: 3000 }, { status: "OK" });
    using repository = reviewed(
      `  looks: { adapter: claude, role: Reviewer }\nsandbox: off\n${reviewedBy("looks")}`,
    );
    const { status, states, stderr } = resultOf(await repository.run(["run", "--json"], client));
    expect({ status, states }, stderr).toEqual({ status: 0, states: { A: "MERGED" } });
    expect(stderr).toMatch(/could not review it: looks is out of quota until .*: no more today/);
    const limits = await repository.events<{ data: { agents: readonly string[] } }>("agent.limited");
    expect(limits.map(({ data }) => data.agents)).toEqual([["looks"]]);
  });

  it("without quota does not delay other tasks, nor their batches", async () => {
    using client = limitedClient({ error: "rate_limit", resetsInMs: 3_600_000 });
    using repository = hooked({
      agents: { a: [[writes("A"), answer("OK")]], b: [[writes("B"), answer("OK")]] },
      tasks: [typed, task("B", "b")],
      config: `  looks: { adapter: claude, role: Reviewer }\nsandbox: off\nlimits: { batching: batch }\n${reviewedBy("looks")}`,
    });
    using run = repository.start(["run", "--json"], client);
    await eventually("the other one is merged", () => (/ B .*merged/.test(run.errors()) ? true : undefined));
    run.process.kill("SIGINT");
    const { states, stderr } = resultOf(await run.ended);
    expect(states, stderr).toEqual({ A: "REVIEW", B: "MERGED" });
  });

  it("without quota is replaced by its fallback at once", async () => {
    using client = limitedClient({ error: "rate_limit", resetsInMs: 3_600_000 });
    using repository = reviewed(
      `  looks: { adapter: claude, role: QA, fallback: other }
${programAgent("other", "Reviewer")}sandbox: off
task_types:
  product: { hooks: { before_merge: [{ gatekeeper: [qa] }] }, agents: { gatekeeper: [looks, other] } }
`,
      { "agents/other.mjs": program('answer("OK");') },
    );
    const { status, states, stderr } = resultOf(await repository.run(["run", "--json"], client));
    expect({ status, states }, stderr).toEqual({ status: 0, states: { A: "MERGED" } });
    const reviews = await repository.events<{ data: { agent: string } }>("task.reviewed");
    expect(reviews.map(({ data }) => data.agent)).toEqual(["other"]);
  });

  it("without a login makes the task wait for a person, who is asked to log it in", async () => {
    using client = limitedClient({ error: "authentication_failed" }, { status: "OK" });
    using repository = reviewed(
      `  looks: { adapter: claude, role: Reviewer, fallback: a }\nsandbox: off\n${reviewedBy("looks")}`,
    );
    const { status, states, stderr } = resultOf(await repository.run(["run", "--json"], client));
    expect({ status, states }, stderr).toEqual({ status: 3, states: { A: "REVIEW" } });
    expect(stderr).toContain(
      "looks is not logged in: no more today; log in, then `lockstep decide UD-1 done`",
    );
    expect((await repository.run(["decide", "UD-1", "done"])).status).toBe(0);
    const again = resultOf(await repository.run(["run", "--json"], client));
    expect(again.states, again.stderr).toEqual({ A: "MERGED" });
  });

  it("that exceeds the limit of a task is stopped, and the work waits for a person", async () => {
    using repository = reviewed(
      `${programAgent("looks", "Reviewer")}limits: { tokens: { warn: 50, halt: 100 } }\n${reviewedBy("looks")}`,
      {
        "agents/looks.mjs": program(`
for (const tokens of [90, 90]) console.log(JSON.stringify({ usage: { tokens } }));
setTimeout(() => answer("OK"), 60_000);`),
      },
    );
    const { status, states, stderr } = await repository.conduct();
    expect({ status, states }, stderr).toEqual({ status: 3, states: { A: "REVIEW" } });
    expect(stderr).toContain(
      "R-AG-001: `looks` could not review it: `looks` has spent 180 tokens; its limit is 100",
    );
  });

  it("that fails with a secret in its output is reported without the secret, also in the session's files", async () => {
    const secret = "correct-horse-battery";
    using repository = reviewed(
      `${programAgent("looks", "Reviewer")}workspace: { include: [.env] }\n${reviewedBy("looks")}`,
      {
        "agents/looks.mjs": `console.error("${secret}"); process.exitCode = 3;`,
        ".env": `API_TOKEN=${secret}\n`,
      },
    );
    repository.git("rm", "-q", "--cached", ".env");
    const { states, stderr, done } = await repository.conduct();
    expect(states, stderr).toEqual({ A: "REVIEW" });
    expect(stderr.match(/looks: failed/g)).toHaveLength(3);
    const progress = join(repository.path, ".agents-work", done.session, "progress.md");
    expect(readFileSync(progress, "utf8")).toContain("`looks` could not review it");
    for (const text of [stderr, JSON.stringify(done), readFileSync(progress, "utf8")])
      expect(text).not.toContain(secret);
  });
});

describe("a role", () => {
  const spec = (more: string) => `  spec: { adapter: claude, role: SpecAgent${more} }\nsandbox: off\n`;

  it("without quota is paused, and is asked again when quota is available", async () => {
    using client = limitedClient({ error: "rate_limit", resetsInMs: 3000 }, { status: "BLOCKED" });
    using repository = teamRepository({}, spec(""));
    const { status, stderr } = await repository.launch(["start", goal, "--json"], client).ended;
    expect(status, stderr).toBe(1);
    expect(stderr).toContain("SpecAgent  waits: ");
    expect(stderr).toContain("spec is out of quota until");
    expect(repository.status().blocker).toMatchObject({ code: "agent_blocked" });
  });

  it("without quota is replaced by its fallback", async () => {
    using client = limitedClient({ error: "rate_limit", resetsInMs: 3_600_000 });
    using repository = teamRepository({}, spec(", fallback: team"));
    const { status, stderr } = await repository.launch(["start", goal, "--json"], client).ended;
    expect(status, stderr).toBe(3);
    expect(repository.status().current_state).toBe("APPROVE_DESIGN");
  });

  it("without a login blocks the session, and a person is asked to log it in", async () => {
    using client = limitedClient({ error: "authentication_failed" });
    using repository = teamRepository({}, spec(""));
    const { stderr, stdout } = await repository.launch(["start", goal, "--json"], client).ended;
    expect(repository.status().blocker, stderr).toMatchObject({ code: "agent_unauthenticated" });
    expect(stdout + stderr).toContain("spec is not logged in");
  });
});
