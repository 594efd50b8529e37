import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentMarks } from "../src/clients/agent-shell.ts";
import { startProgram } from "./support/run-command.ts";
import { command } from "./support/run-hook.ts";
import { gateId, sessionRepository } from "./support/session-repository.ts";
import { teamRepository } from "./support/team-repository.ts";

/** What only a person says, with names that need not be there. */
const personsWords = [
  ["decide", gateId, "approved"],
  ["decide", gateId, "--cancel", "no"],
  ["task", "resolve", "2026-02-14_shop/T-1", "--note", "done"],
  ["task", "cancel", "2026-02-14_shop/T-1", "--reason", "no"],
  ["rollback", "task", "2026-02-14_shop/T-1"],
];

describe("an agent does not speak for a person", () => {
  it.each(agentMarks)("in the shell of a client that sets %s", async (mark) => {
    using repository = await sessionRepository();
    for (const words of mark === "CLAUDECODE" ? personsWords : personsWords.slice(0, 1))
      expect(await repository.run(words, { env: { [mark]: "1" } })).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(
          new RegExp(`R-AU-001: only a person (?:answers|does this): ${mark} is set`),
        ),
      });
    expect(await repository.within(({ ledger }) => ledger.decisions())).toMatchObject([{ state: "pending" }]);
    const listed = await repository.run(["decide"], { env: { [mark]: "1" } });
    expect(listed).toMatchObject({ status: 0, stdout: expect.stringContaining("UD-APPROVE-DESIGN") });
  });

  it("at a terminal that it has opened", async () => {
    using repository = await sessionRepository();
    const words = ["script", "-qec", `${process.execPath} ${command} decide`, "/dev/null"];
    using running = startProgram(words, {
      ...{ cwd: repository.path, input: "approved\n" },
      env: { CI: "", TERM: "xterm", CLAUDECODE: "1" },
    });
    const { stdout } = await running.ended;
    expect(stdout).toContain("lockstep decide UD-APPROVE-DESIGN approved");
    expect(stdout).not.toContain("UD-APPROVE-DESIGN> ");
    expect(await repository.within(({ ledger }) => ledger.decisions())).toMatchObject([{ state: "pending" }]);
  });

  it("from within a run without walls, whatever it leaves out of its environment; nor does it stop its session", async () => {
    using repository = teamRepository({}, "sandbox: off\n");
    const out = join(repository.path, "state", "said");
    const forget = `env $(env | sed -n 's/^\\(LOCKSTEP_[A-Z]*\\)=.*/-u \\1/p')`;
    const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");
    const own = quoted([process.execPath, command]);
    repository.write("state/.keep", "");
    repository.wish({
      SpecAgent: {
        runs: [
          `(cd ${repository.path}`,
          ...personsWords.map((words) => `${forget} ${own} ${quoted(words)} >> ${out} 2>&1`),
          `${own} task escalate $LOCKSTEP_TASK --reason stuck >> ${out} 2>&1)`,
        ].join("; "),
      },
    });
    const { status, done } = await repository.start("two files");
    const said = readFileSync(out, "utf8");
    expect(said.match(/R-AU-001: only a person .*: this was started by the run at work/g), said).toHaveLength(
      personsWords.length,
    );
    expect(said).toMatch(/R-AU-001: `task-escalate` is not for a session's role/);
    expect(status).toBe(3);
    expect(done.decisions).toMatchObject([{ question: expect.stringContaining("Is this the design") }]);
  });
});
