import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { landRepository } from "../support/land-repository.ts";
import { planText, readRun, task } from "../support/planned-repository.ts";

const fullAnswer = `'{"status":"OK","summary":"x","gates":{"meets_definition_of_done":true},"next":{"recommended_agent":"Orchestrator","recommended_task_id":"same"}}'`;

/** What the program does after its work. */
const successes: Readonly<Record<string, string>> = {
  Silent: ":",
  Prose: "echo all done; echo really >&2",
  Logs: `echo '{"level":30,"msg":"wrote it","status":200}'`,
  Progress: `echo '{"step":"lint","status":"done"}'; echo '{"a":1}'`,
  Half: `printf '{"status":"OK", "summary'`,
  Flood: "yes 'a line of many' | head -c 3000000; echo the end",
  Answer: `echo ${fullAnswer}; echo '{"level":30,"msg":"bye"}'`,
};
const failures: Readonly<Record<string, readonly [script: string, output: string]>> = {
  Exit: ["exit 3", "ended with exit code 3"],
  AnswerAndExit: [`echo ${fullAnswer}; exit 1`, "ended with exit code 1"],
  Failed: [`echo '{"status":"FAIL","summary":"no way"}'`, "its answer cannot be used"],
  Incomplete: [`echo '{"status":"OK"}'`, "its answer cannot be used"],
  Unchanged: ["rm Unchanged.txt", "no file was changed"],
  Reviewed: [":", "looks: its answer cannot be used: it contains no JSON object"],
};
const scripts = {
  ...successes,
  ...Object.fromEntries(Object.entries(failures).map(([id, [one]]) => [id, one])),
};

const agent = (name: string, script: string, more = "") =>
  `  ${name}: { adapter: command, run: ["sh", "-c", ${JSON.stringify(script)}]${more} }\n`;

describe("a program as an agent", () => {
  const repository = landRepository({
    ".gitignore": "state\n.agents-work\n",
    ".lockstep/config.yaml": [
      "agents:\n",
      ...Object.entries(scripts).map(([id, script]) => agent(id, `echo made > ${id}.txt; ${script}`)),
      agent("looks", "echo fine", ", role: Reviewer"),
      "task_types: { seen: { agents: { implementer: [Reviewed], gatekeeper: [looks] }, hooks: { before_merge: [{ gatekeeper: [qa] }] } } }\n",
    ].join(""),
    "tasks.yaml": planText(
      Object.keys(scripts).map((id) => task(id, id, id === "Reviewed" ? ", type: seen" : "")),
    ),
  });
  afterAll(() => repository[Symbol.dispose]());
  let states: Record<string, string> = {};
  let output = "";
  beforeAll(async () => {
    const { stdout, stderr } = await repository.run(["run", "--json"]);
    ({ states } = readRun(stdout));
    output = stderr;
  }, 120_000);
  const linesOf = (id: string) => output.split("\n").filter((line) => line.includes(` ${id} `));

  it.each(Object.keys(successes))("that exits 0 has succeeded: %s", (id) => {
    expect(states[id], output).toBe("MERGED");
    expect(repository.git("show", `main:${id}.txt`)).toBe("made");
    expect(linesOf(id).join("\n")).not.toContain("cannot be used");
  });

  it.each(Object.entries(failures))("that fails is not merged: %s", (id, [, reason]) => {
    expect(states[id], output).not.toBe("MERGED");
    expect(linesOf(id).join("\n")).toContain(reason);
  });

  it("may print without limit: of a long output the beginning and the end are kept", async () => {
    const { stdout } = await repository.run(["log", "Flood"]);
    expect(stdout).toMatch(/\(\d+ lines, \d\.\d MB, left out\)/);
    expect(stdout).toMatch(/ the end\n/);
    expect(stdout.match(/a line of many/g)?.length).toBeLessThan(80_000);
  });

  it("gets all problems of its answer at once, one per line", () => {
    const lines = linesOf("Incomplete");
    const first = lines.findIndex((line) => line.includes("its answer cannot be used:"));
    const named = lines.slice(first + 1, first + 5).map((line) => /`([^`]+)` is missing/.exec(line)?.[1]);
    expect(named).toEqual([
      "summary",
      "gates.meets_definition_of_done",
      "next.recommended_agent",
      "next.recommended_task_id",
    ]);
  });
});
