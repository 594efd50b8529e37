import { chmodSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { landRepository } from "../support/land-repository.ts";
import { answer, planned, planText, readRun, runPlan, task, writes } from "../support/planned-repository.ts";
import { eventually } from "../support/run-command.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A client with a conversation: its first run reads many tokens of its own; a later run finishes the work. */
const client = `#!${process.execPath}
const { appendFileSync, existsSync } = require("node:fs");
const words = process.argv.slice(2);
const say = (message) => console.log(JSON.stringify(message));
const message = (id, usage) => say({ type: "assistant", message: { id, content: [], usage } });
if (words.includes("--version")) console.log("2.1.325");
else if (words[0] === "auth") say({ loggedIn: true });
else {
  let prompt = "";
  process.stdin.on("data", (chunk) => (prompt += chunk)).on("end", () => {
    const resumed = words.includes("--resume") ? words[words.indexOf("--resume") + 1] : null;
    appendFileSync(process.env.HOME + "/heard", JSON.stringify({ resumed, prompt, began: existsSync("begun.txt") }) + "\\n");
    say({ type: "system", subtype: "init", session_id: "conversation-1" });
    message("m1", { input_tokens: 30000, output_tokens: 100 });
    if (resumed === null) {
      appendFileSync("begun.txt", "begun\\n");
      message("m2", { input_tokens: 900, output_tokens: 100 });
      setInterval(() => message("m" + Date.now(), { input_tokens: 900, output_tokens: 100 }), 1000);
    } else {
      appendFileSync("A.txt", "made\\n");
      say({ type: "result", subtype: "success", is_error: false, result: JSON.stringify({ status: "OK", summary: "made it",
        gates: { meets_definition_of_done: true }, next: { recommended_agent: "Orchestrator", recommended_task_id: "same" } }) });
    }
  });
}
`;

describe("a client that uses up its token budget", () => {
  it("continues its conversation in the same checkout when a person allows it; its own startup tokens do not count", async () => {
    using home = temporaryFolder({ "bin/claude": client });
    chmodSync(join(home.path, "bin/claude"), 0o755);
    using repository = landRepository({
      ".gitignore": "state\n.agents-work\n",
      ".lockstep/config.yaml":
        "agents: { coder: { adapter: claude, role: Coder, rework: fresh } }\nsandbox: off\n",
      "tasks.yaml": planText([task("A", "coder").replace("[A.txt]", "[A.txt, begun.txt]")]),
    });
    const env = { HOME: home.path, PATH: [join(home.path, "bin"), process.env.PATH].join(delimiter) };
    const first = await repository.run(["run", "--tokens", "3000", "--json"], { env });
    const { done } = readRun(first.stdout);
    expect({ status: first.status, tasks: done.tasks }, first.stderr).toMatchObject({
      status: 3,
      tasks: [{ state: "ESCALATED", code: "R-BG-001", details: { halt: { signal: "tokens", limit: 3000 } } }],
    });
    // Of the 30000 tokens that its client read first, only our prompt counts.
    const { tokens, input } = (done.tasks[0] as unknown as { usage: Record<string, number> }).usage;
    expect(input).toBeGreaterThan(30_000);
    expect(tokens).toBeLessThan(6000);
    const waiting = await repository.run(["decide"], { env });
    expect(waiting.stdout.replace(/\s+/g, " ")).toContain("Grant it 3000 more tokens");
    for (const answer of ["continue", "'continue: …'", "stop"])
      expect(waiting.stdout).toContain(`lockstep decide UD-1 ${answer}`);
    const answered = await repository.run(["decide", "UD-1", "continue: 5000"], { env });
    expect(answered, answered.stderr).toMatchObject({ status: 0 });
    expect(answered.stderr).toContain("to continue: lockstep run .agents-work/");
    const second = await repository.run(["run", "--tokens", "3000", "--json"], { env });
    expect(readRun(second.stdout).states, second.stderr).toEqual({ A: "MERGED" });
    const prompts = readFileSync(join(home.path, "heard"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(prompts).toMatchObject([
      { resumed: null, began: false },
      {
        resumed: "conversation-1",
        began: true,
        prompt: expect.stringMatching(/^Continue where you left off/),
      },
    ]);
    expect(repository.git("show", "main:begun.txt")).toBe("begun");
  });
});

describe("`run` and `do`", () => {
  const slow = ["loop: { steps: [{ say: still at it }, { sleep: 0.2 }] }"];

  it("take the minutes limit of this run", async () => {
    using repository = planned({ agents: { a: [slow] }, tasks: [task("A", "a")] });
    const { status, done } = await runPlan(repository, "--minutes", "0.03");
    expect({ status, tasks: done.tasks }).toMatchObject({
      status: 3,
      tasks: [
        {
          state: "ESCALATED",
          code: "R-BG-001",
          details: { halt: { signal: "minutes", limit: 0.03 } },
          reason: expect.stringMatching(/has run for (?!0 )[\d.]+ minutes, which is its limit$/),
        },
      ],
    });
  });

  it("take the token limit of this run, and refuse a value that is not a number", async () => {
    using repository = planned({ agents: { a: [["usage: { tokens: 900 }", writes("A")]] }, tasks: [] });
    const words = ["do", "make A", "--agent", "a", "--tokens", "800", "--check", "test -e A.txt", "--json"];
    const { status, stdout, stderr } = await repository.run(words);
    expect({ status, tasks: readRun(stdout).done.tasks }, stderr).toMatchObject({
      status: 3,
      tasks: [{ code: "R-BG-001", details: { halt: { signal: "tokens", limit: 800 } } }],
    });
    for (const [option, value] of [
      ["--tokens", "many"],
      ["--tokens", "1.5"],
      ["--minutes", "0"],
    ] as const) {
      const refused = await repository.run(["do", "make A", option, value]);
      expect(refused).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(`R-IN-001: ${option} takes`),
      });
    }
  });

  const halts = (limit: number) => ({
    tasks: [{ code: "R-BG-001", details: { halt: { signal: "tokens", limit } } }],
  });

  it("keep a limit that a person set for later runs of the session, until it is set again", async () => {
    const spends = ["usage: { tokens: 900 }", writes("A")];
    using repository = planned({ agents: { a: [spends] }, tasks: [] });
    const words = ["do", "make A", "--agent", "a", "--tokens", "800", "--check", "test -e A.txt", "--json"];
    const { done } = readRun((await repository.run(words)).stdout);
    expect(done).toMatchObject(halts(800));
    const answered = await repository.run(["decide", "UD-1", "continue: 100"]);
    const [, plan = ""] = /to continue: lockstep run (\S+)/.exec(answered.stderr) ?? [];
    // 900 are spent by then, so it ends at 1000.
    expect((await runPlan(repository, plan)).done).toMatchObject(halts(1000));
    await repository.run(["decide", "UD-2", "continue: 100"]);
    const more = await runPlan(repository, plan, "--tokens", "2500");
    expect(more.done).toMatchObject(halts(2500));
    const preview = await repository.run(["run", plan, "--dry-run", "--json"]);
    expect(JSON.parse(preview.stdout)).toMatchObject({ limits: { tokens: { halt: 2500 } } });
  });

  it("apply the session's own limit also when another run does its tasks", async () => {
    const begins = ["say: begun", "sleep: 3", writes("A"), answer("OK")];
    using repository = planned({
      agents: { a: [begins], b: [["usage: { tokens: 900 }", writes("B")]] },
      tasks: [task("A", "a")],
    });
    using first = repository.start(["run", "--json"]);
    await eventually("its agent works", () => (first.errors().includes("begun") ? true : undefined));
    const second = await repository.run([
      "do",
      "make B",
      "--agent",
      "b",
      "--scope",
      "B.txt",
      "--tokens",
      "800",
      "--check",
      "true",
      "--json",
    ]);
    expect(second.stderr).toContain("is already handling these tasks");
    expect(readRun(second.stdout).done).toMatchObject(halts(800));
    expect((await first.ended).status).toBe(0);
  });
});
