import { chmodSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GuardedRepository, guardedRepository } from "../support/guarded-repository.ts";
import { packet } from "../support/memory-engine.ts";
import { eventually, startProgram } from "../support/run-command.ts";
import { command, lockstepWords } from "../support/run-hook.ts";
import { gateId, sessionRepository } from "../support/session-repository.ts";
import { teamRepository } from "../support/team-repository.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";

/** Commands for people only, with names that need not exist. */
const personsWords = [
  ["decide", gateId, "approved"],
  ["decide", gateId, "--cancel", "no"],
  ["task", "resolve", "2026-02-14_shop/T-1", "--note", "done"],
  ["task", "cancel", "2026-02-14_shop/T-1", "--reason", "no"],
  ["rollback", "task", "2026-02-14_shop/T-1"],
];

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");
const own = quoted([...lockstepWords]);

describe("an agent cannot use the commands of a person", () => {
  it.each(["CLAUDECODE", "CODEX_THREAD_ID"])("in the shell of a client that sets %s", async (mark) => {
    using repository = await sessionRepository();
    const reason = `only a person may run .*shell belongs to an agent of (?:Claude Code|Codex): ${mark} is set; .*own terminal`;
    for (const words of mark === "CLAUDECODE" ? personsWords : personsWords.slice(0, 1))
      expect(await repository.run(words, { env: { [mark]: "1" } })).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(new RegExp(`R-AU-001: ${reason}`)),
      });
    expect(await repository.within(({ ledger }) => ledger.decisions())).toMatchObject([{ state: "pending" }]);
  });

  it("at a terminal that it has opened", async () => {
    using repository = await sessionRepository();
    const words = ["script", "-qec", `${process.execPath} ${command} decide`, "/dev/null"];
    using running = startProgram(words, {
      ...{ cwd: repository.path, input: "approved\n" },
      env: { CI: "", TERM: "xterm", CLAUDECODE: "1" },
    });
    const { stdout } = await running.ended;
    expect(stdout).toContain("R-AU-001");
    expect(stdout).not.toContain("UD-APPROVE-DESIGN> ");
    expect(await repository.within(({ ledger }) => ledger.decisions())).toMatchObject([{ state: "pending" }]);
  });

  it("from a run without a sandbox, whatever variables it removes; nor can it stop its session", async () => {
    using repository = teamRepository({}, "sandbox: off\n");
    const out = join(repository.path, "state", "said");
    const forget = `env $(env | sed -n 's/^\\(LOCKSTEP_[A-Z]*\\)=.*/-u \\1/p')`;
    repository.write("state/.keep", "");
    repository.answers({
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
    const refused = /R-AU-001: only a person .*LOCKSTEP_TASK is \S+\/meta for its parent process/g;
    expect(said.match(refused), said).toHaveLength(personsWords.length);
    expect(said).toMatch(/R-AU-001: `task-escalate` is not allowed for a role of a session/);
    expect(status).toBe(3);
    expect(done.decisions).toMatchObject([
      { question: expect.stringContaining("Do you approve this design") },
    ]);
  });
});

describe("in a client", () => {
  let repository: GuardedRepository;
  let home: TemporaryFolder;
  beforeEach(() => {
    repository = guardedRepository();
    home = temporaryFolder();
    for (const name of ["claude", "codex"]) symlinkSync("/bin/bash", join(home.path, name));
  });
  afterEach(() => {
    repository[Symbol.dispose]();
    home[Symbol.dispose]();
  });

  const config = (text: string) => repository.write(".lockstep/config.yaml", text);

  /** The output of a process of that name, which runs these lines in the repository as a client runs its shell. */
  async function inClient(lines: readonly string[], name = "claude", env = {}): Promise<string> {
    const shell = `bash -c ${quoted([lines.join("\n").replaceAll("'", `'\\''`)])} 2>&1; true`;
    const { stdout } = await startProgram([join(home.path, name), "-c", shell], { cwd: repository.path, env })
      .ended;
    return stdout;
  }

  /** The guard sees the call before the command runs. */
  async function claim(task: string, session: string): Promise<void> {
    await repository.guard({
      ...{ hook_event_name: "PreToolUse", session_id: session, cwd: repository.path },
      ...{ tool_name: "Bash", tool_input: { command: `lockstep claim ${task}` } },
    });
  }

  const held = (task: string) =>
    repository.withEngine(async ({ ledger }) =>
      (await ledger.locks({ task, active: true }))
        .map(({ resource }) => resource)
        .filter((resource) => !resource.startsWith("worklogs/")),
    );
  const decisions = () => repository.withEngine(({ ledger }) => ledger.decisions());
  const widen = `${own} widen T-A . --why x`;
  const bare = `env -i ${widen}`;

  it.each([
    ["ask", /a person decides/],
    ["never", /R-PW-001: tasks cannot get more scope/],
  ])(
    "an agent's request for more scope counts as its task's, with `widen: %s`, whatever its environment",
    async (mode, answer) => {
      config(`limits: { widen: ${mode} }\n`);
      await repository.dispatch("T-A", ["src/a/**"]);
      await claim("T-A", "one");
      home.write("widen.sh", `${bare}\n`);
      const ways = [
        widen,
        bare,
        `LOCKSTEP_TASK=T-B LOCKSTEP_EPOCH=1 ${widen}`,
        `CLAUDE_AGENT_ROLE=orchestrator ${widen}`,
        `setsid -w ${bare}`,
        `nohup ${bare} < /dev/null`,
        `sh ${home.path}/widen.sh`,
      ];
      const said = await inClient([`${own} claim T-A`, ...ways.map((way) => `${way} &`), "wait"]);
      expect(said.match(new RegExp(answer, "g")), said).toHaveLength(ways.length);
      expect(await held("T-A")).toEqual(["src/a/**"]);
      expect(await decisions()).toHaveLength(mode === "ask" ? 1 : 0);
    },
  );

  it("an agent can use its own commands: a heartbeat, more scope if that is granted, its result", async () => {
    config("limits: { widen: auto }\n");
    await repository.dispatch("T-A", ["src/a/**"]);
    await claim("T-A", "one");
    const said = await inClient([
      `${own} claim T-A`,
      `${own} heartbeat T-A --tokens 7`,
      `${own} widen T-A docs --why x`,
      `echo '{"task_id":"T-A","status":"blocked"}' | ${own} submit T-A`,
      `${own} task escalate T-A --reason stuck`,
    ]);
    expect(await held("T-A"), said).toEqual(["src/a/**", "docs"]);
    expect(said).not.toContain("R-AU-001");
    const actors = await repository.withEngine(({ ledger }) => ledger.events({ type: "scope.widened" }));
    expect(actors).toMatchObject([{ actor: "attempt:T-A#1" }]);
  });

  it("an agent cannot use the commands of a task that another client's process has claimed, nor without a claim", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    await repository.dispatch("T-B", ["src/b/**"]);
    await claim("T-A", "one");
    expect(await inClient([`${own} claim T-A`])).toContain('"allow":true');
    const asked = [
      `${own} claim T-A`,
      widen,
      `${own} heartbeat T-A`,
      `LOCKSTEP_TASK=T-A ${own} heartbeat T-A`,
    ];
    const said = await inClient(asked, "codex");
    expect(said.match(/"?code"?:?"?R-AU-001|lockstep: R-AU-001/g)?.length, said).toBeGreaterThanOrEqual(4);
    expect(said).not.toContain('"allow":true');
    await claim("T-B", "two");
    const bound = await inClient([`${own} claim T-B`, ...asked.slice(1)], "codex");
    expect(bound).toContain("this agent works on task `T-B`, not on `T-A`");
    expect(await decisions()).toEqual([]);
  });

  it("an agent whose client was restarted claims its task again, in a call that the guard sees", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    await claim("T-A", "one");
    await inClient([`${own} claim T-A`]);
    expect(await inClient([`${own} claim T-A`, widen])).toContain("claimed from another client process");
    await claim("T-A", "one");
    expect(await inClient([`${own} claim T-A`, widen])).toContain("a person decides");
  });

  it("no command of a person is executed in its shell or in a script", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    await claim("T-A", "one");
    const file = home.write("packet.json", JSON.stringify(packet("T-9", ["docs"])));
    const words = [
      ["task", "add", "T-9", "--scope", "."],
      ["dispatch", file],
      ["release", "T-A"],
      ["complete", "T-A"],
      ["stop", "T-A"],
      ["take", "T-A"],
      ["stop-all"],
      ["watchdog", "--now", "2099-01-01T00:00:00Z"],
      ["init", "--remove"],
      ["reconcile", "--accept-loss"],
      ["agent-session", "init", "orchestrator"],
      ["land", "main"],
    ];
    home.write("all.sh", [...words.map((one) => `${own} ${quoted(one)} &`), "wait", ""].join("\n"));
    const before = await repository.withEngine(({ ledger }) => ledger.events());
    const said = await inClient([`sh ${home.path}/all.sh`]);
    expect(said.match(/^lockstep: R-AU-001: .*claude.*their own terminal$/gm), said).toHaveLength(
      words.length,
    );
    expect(await repository.withEngine(({ ledger }) => ledger.events())).toEqual(before);
    expect(existsSync(join(repository.path, ".git/lockstep/STOP_ALL"))).toBe(false);
  });

  it("an orchestrating agent dispatches tasks, and is identified only by the environment of its client", async () => {
    const file = home.write("packet.json", JSON.stringify(packet("T-9", ["docs"])));
    const orchestrator = { CLAUDE_AGENT_ROLE: "orchestrator" };
    const dispatch = `${own} dispatch ${file}`;
    expect(await inClient([`CLAUDE_AGENT_ROLE=orchestrator ${dispatch}`])).toContain("R-AU-001");
    expect(await inClient([`env -i ${dispatch}`], "claude", orchestrator)).toContain('"allow":true');
    expect(await inClient([`${own} release T-9`], "claude", orchestrator)).toContain("R-AU-001");
    await claim("T-9", "whole");
    const bound = await inClient([`${own} claim T-9`, dispatch], "claude", orchestrator);
    expect(bound).toContain("`dispatch` is not allowed for an agent with a task");
  });

  it("a background process of its shell is not a person while an agent is at work", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    await claim("T-A", "one");
    const [said, done] = [join(home.path, "said"), join(home.path, "done")];
    const orphaned = "while kill -0 $1; do sleep 0.02; done";
    home.write("late.sh", `${orphaned}\n${bare} > ${said} 2>&1\ntouch ${done}\n`);
    await inClient([`env -i PATH="$PATH" setsid sh ${home.path}/late.sh $$ > /dev/null 2>&1 < /dev/null &`]);
    await eventually("its end", () => existsSync(done) || undefined);
    expect(readFileSync(said, "utf8")).toMatch(/R-AU-001: .*its parent process has ended/);
    expect(await held("T-A")).toEqual(["src/a/**"]);
  });

  it("a person at a terminal or in a script still counts as one", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    await claim("T-A", "one");
    await inClient([`${own} claim T-A`]);
    const script = home.write("job.sh", `#!/bin/sh\n${own} widen T-A docs --why x\n`);
    chmodSync(script, 0o755);
    const words = ["script", "-qec", `${own} widen T-A test --why x`, "/dev/null"];
    await startProgram([script], { cwd: repository.path }).ended;
    await startProgram(words, { cwd: repository.path }).ended;
    expect(await held("T-A")).toEqual(["src/a/**", "docs", "test"]);
  });
});
