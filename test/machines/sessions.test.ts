import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type FleetMachine, fleet, worker } from "../support/fleet.ts";
import { closeDatabases } from "../support/ledger-databases.ts";
import { eventually } from "../support/run-command.ts";

afterAll(closeDatabases);

const agent = readFileSync(new URL("../support/team-agent.cjs", import.meta.url), "utf8");

/** Longer than the lease of a conductor, and shorter than a machine can be silent. */
const conductorSeconds = 75;

interface SessionDocument {
  readonly session: string;
  readonly workflow: { readonly state: string };
}

describe("a session of `lockstep start`", { timeout: 300_000 }, () => {
  it("continues where a person resumes it, and its tasks are done by all machines", async () => {
    const tasks = ["a", "b"].map((name) => ({
      ...{ id: `T-${name}`, goal: `write ${name}.txt`, lock_scope: [`${name}.txt`], label: "far" },
      acceptance_checks: [`cmd: test -e ${name}.txt`],
    }));
    const waits = 'while [ ! -e "$LOCKSTEP_ROOT/state/go" ]; do sleep 0.05; done';
    const overrides = JSON.stringify({ plan: tasks, Architect: { runs: waits } });
    await using all = await fleet({
      ...{
        agents: {},
        tasks: [],
        programs: { team: [process.execPath, "agents/team.cjs", "overrides.json"] },
      },
      files: { "agents/team.cjs": agent, "overrides.json": overrides },
    });
    const second = all.join("second", { clone: true });
    mkdirSync(join(second.folder, "state"));
    writeFileSync(join(second.folder, "state/go"), "");
    const fileOf = ({ folder }: FleetMachine, session: string, name: string) =>
      join(folder, ".agents-work", session, name);
    const conducts = async (machine: FleetMachine, ...words: string[]) => {
      const { status, stdout, stderr } = await machine.run([...words, "--json"]);
      expect(stdout, stderr).not.toBe("");
      return { status, stderr, ...(JSON.parse(stdout) as SessionDocument) };
    };

    using lost = all.first.start(["start", "Two small text files", "--json"]);
    const session = await eventually("the architect works", async () => {
      const [found] = await all.database.raw(
        `SELECT s.key FROM lockstep.sessions s JOIN lockstep.attempts a ON a.task = s.key || '/meta'
         WHERE a.lease_state = 'running' AND s.body::json->'dispatched'->>'role' = 'Architect'`,
      );
      return found && String(found.key);
    });
    const early = await second.run(["resume", session]);
    expect([early.status, early.stderr]).toEqual([
      1,
      expect.stringMatching(/is conducted by process \d+ on first: it continues there/),
    ]);
    lost.process.kill("SIGKILL");
    await lost.ended;
    await all.database.raw(
      `UPDATE lockstep.clock SET ms = greatest(ms, extract(epoch FROM now()) * 1000) + ${conductorSeconds * 1000}`,
    );

    const taken = await conducts(second, "resume", session);
    expect([taken.status, taken.workflow.state], taken.stderr).toEqual([3, "APPROVE_DESIGN"]);
    expect(existsSync(fileOf(second, session, "architecture.md"))).toBe(true);
    expect(existsSync(fileOf(all.first, session, "architecture.md"))).toBe(false);
    const asked = await all.first.run(["decide"]);
    expect([asked.status, asked.stdout], asked.stderr).toEqual([
      0,
      expect.stringContaining("architecture.md"),
    ]);
    expect(readFileSync(fileOf(all.first, session, "architecture.md"), "utf8")).toBe(
      readFileSync(fileOf(second, session, "architecture.md"), "utf8"),
    );
    expect((await all.first.run(["decide", "UD-APPROVE-DESIGN", "approved"])).status).toBe(0);
    const planned = await conducts(second, "resume", session);
    expect([planned.status, planned.workflow.state], planned.stderr).toEqual([3, "REVIEW_STRATEGY"]);
    expect((await second.run(["decide", "UD-REVIEW-STRATEGY", "per-batch"])).status).toBe(0);

    using far = worker(all, all.join("far"), "--slots", "1", "--label", "far");
    const done = await conducts(all.first, "resume", session);
    expect([done.status, done.workflow.state], `${done.stderr}\n${far.errors()}`).toEqual([0, "DONE"]);
    expect(existsSync(fileOf(all.first, session, "report.md"))).toBe(true);
    far.process.kill("SIGINT");
    const { status, stdout, stderr } = await far.ended;
    expect([status, stdout], stderr).toEqual([0, "worked on 2 tasks\n"]);
    expect(all.remote.git("show", "main:b.txt")).toContain("by T-b");
    expect((await second.run(["audit", "verify"])).status).toBe(0);
  });
});
