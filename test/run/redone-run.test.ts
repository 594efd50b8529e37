import { readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isHeld } from "../support/held-file.ts";
import { hooked, program, programAgent } from "../support/hooked-run.ts";
import type { LandRepository } from "../support/land-repository.ts";
import {
  answer,
  awaits,
  type PlannedOptions,
  planned,
  readRun,
  runPlan,
  task,
} from "../support/planned-repository.ts";
import { type CommandOptions, eventually, startProgram } from "../support/run-command.ts";
import { lockstepWords } from "../support/run-hook.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const begins = "say: begun";
const more = 'append: { path: A.txt, text: "more\\n" }';

async function begun(repository: LandRepository, options?: CommandOptions) {
  const running = repository.start(["run", "--json"], options);
  await eventually("the agent works", () => (running.errors().includes("begun") ? true : undefined));
  return running;
}

describe("work that conflicts with a change merged meanwhile", () => {
  it("is done again automatically on the current base, and the earlier work is kept", async () => {
    using repository = planned({
      agents: {
        a: [
          [begins, awaits, more, answer("OK")],
          [more, answer("OK")],
        ],
      },
      tasks: [task("A", "a")],
      files: { "A.txt": "base\n" },
    });
    using running = await begun(repository);
    repository.write("A.txt", "person\n");
    repository.git("commit", "-qam", "by a person");
    repository.write("state/go", "");
    const { status, stdout, stderr } = await running.ended;
    const { session, tasks } = readRun(stdout).done;
    expect({ status, tasks }, stderr).toMatchObject({ status: 0, tasks: [{ state: "MERGED", attempts: 2 }] });
    expect(stderr).toContain("refused, R-GT-001");
    expect(repository.git("show", "main:A.txt")).toBe("person\nmore");
    expect(repository.git("show", `refs/lockstep/${session}/A/1:A.txt`)).toBe("base\nmore");
  });
});

describe("an agent that fails", () => {
  it("is started at most two more times, with the same input", async () => {
    const fails = program(`
const { createHash } = await import("node:crypto");
console.log("got " + input.attempt + " " + createHash("sha256").update(JSON.stringify(input)).digest("hex"));
process.exit(3);`);
    using repository = hooked({
      agents: {},
      tasks: [task("A", "breaks")],
      config: programAgent("breaks"),
      files: { "agents/breaks.mjs": fails },
    });
    const { stderr, done } = await repository.conduct();
    const inputs = (attempt: number) =>
      stderr.match(new RegExp(`(?<= A(?:#\\d)?  )got ${attempt} \\w{64}$`, "gm")) ?? [];
    expect(done.tasks).toMatchObject([{ state: "ESCALATED", code: "R-AG-001", attempts: 2 }]);
    for (const attempt of [1, 2]) expect(inputs(attempt)).toEqual(new Array(3).fill(inputs(attempt)[0]));
  });
});

describe("the processes and checkout of a killed run", () => {
  const half: PlannedOptions = {
    agents: {
      a: [
        [
          "spawn: { command: 'exec flock $HOME/.meet/alive sleep 60' }",
          'write: { path: A.txt, text: "half\\n" }',
          begins,
          "hang: true",
        ],
        [more, answer("OK")],
      ],
    },
    tasks: [task("A", "a")],
  };

  it("are cleaned up before another agent uses the checkout, with and without a sandbox", async () => {
    using repository = planned({ ...half, config: "sandbox: off\nworkspace: { home: [.meet] }\n" });
    repository.write("state/.meet/alive", "");
    const env = { HOME: join(repository.path, "state") };
    using running = await begun(repository, { env });
    running.process.kill("SIGKILL");
    await running.ended;
    const alive = join(repository.path, "state/.meet/alive");
    await eventually("the agent continues without its run", () => isHeld(alive) || undefined);
    expect(await runPlan(repository)).toMatchObject({ status: 0, states: { A: "MERGED" } });
    expect(isHeld(alive)).toBe(false);
    expect(repository.git("show", "main:A.txt")).toBe("half\nmore");
  });

  it("stay in place when the repository is moved, and the task is done in the new place", async () => {
    using state = temporaryFolder();
    using repository = planned(half);
    const env = { XDG_STATE_HOME: state.path };
    using running = await begun(repository, { env, through: ["setsid"] });
    process.kill(-(running.process.pid as number), "SIGKILL");
    await running.ended;
    const moved = join(state.path, "moved");
    renameSync(repository.path, moved);
    const words = [...lockstepWords, "run", "--json"];
    const { status, stdout, stderr } = await startProgram(words, { cwd: moved, env }).ended;
    expect({ status, ...readRun(stdout).states }, stderr).toEqual({ status: 0, A: "MERGED" });
    expect(stderr).toContain("the checkout of `A` was missing or damaged: created again");
    const left = readdirSync(state.path, { recursive: true, withFileTypes: true })
      .filter(({ name, parentPath }) => name === "A.txt" && !parentPath.startsWith(moved))
      .map(({ name, parentPath }) => readFileSync(join(parentPath, name), "utf8"));
    expect(left).toContain("half\n");
  });
});
