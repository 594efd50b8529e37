import { describe, expect, it } from "vitest";
import { anthropicStandIn } from "./support/anthropic.ts";
import { clientRepository, report } from "./support/client-repository.ts";
import { installClient } from "./support/install-client.ts";
import type { ModelCall, Turn } from "./support/stand-in.ts";

const { bin, missing } = await installClient("claude", "@anthropic-ai/claude-code", "2.1.325");

const goal = "Two small text files";
const msMax = 600_000;

const write = (file_path: string, content: string): ModelCall => ({
  name: "Write",
  input: { file_path, content },
});
const plan = `tasks:
  - { id: T-001, status: not-started, goal: write a.txt, lock_scope: [a.txt], acceptance_checks: ["cmd: test -e a.txt"] }
  - { id: T-002, status: not-started, goal: write b.txt, depends_on: [T-001], lock_scope: [b.txt], acceptance_checks: ["cmd: test -e b.txt"] }
`;
const criteria = [{ id: "AC-1", description: "Both are there", verify: ["cmd: test -e a.txt -a -e b.txt"] }];

/** The tool calls of each role; the other roles only read and answer. */
const works: Readonly<Record<string, (at: { session: string; task: string }) => readonly ModelCall[]>> = {
  SpecAgent: ({ session }) => [
    write(
      `${session}/spec.md`,
      "## Goals\n\nTwo files.\n\n## Acceptance Criteria\n\nBoth.\n\n## Definition of Done\n\nTested.\n",
    ),
    write(`${session}/acceptance.json`, JSON.stringify({ acceptance_criteria: criteria })),
  ],
  Architect: ({ session }) => [
    write(`${session}/architecture.md`, "## Overview\n\nSmall.\n\n## Modules\n\nNone.\n"),
  ],
  Planner: ({ session }) => [write(`${session}/tasks.yaml`, plan)],
  Coder: ({ task }) =>
    task === "T-001"
      ? [write("a.txt", "by T-001\n")]
      : [{ name: "Bash", input: { command: "cat a.txt > b.txt && echo by T-002 >> b.txt" } }],
  Docs: ({ session }) => [
    {
      name: "Bash",
      input: { command: `printf '# Two files\\n\\nThey are there.\\n' > ${session}/report.md` },
    },
  ],
};

/** A model that plays every role: first it works, then it answers. */
function play(said: string): Turn {
  const [, role = ""] = /You are (\w+) in a team of agents/.exec(said) ?? [];
  const [, session = ""] = /worklog_path[\\": ]+(\.agents-work\/[^/]+)\//.exec(said) ?? [];
  const [, task = ""] = /Input:[\s\S]*?\\"id\\": \\"([\w-]+)\\"/.exec(said) ?? [];
  const calls = said.includes('"tool_result"') ? undefined : works[role]?.({ session, task });
  return calls === undefined ? { text: report() } : { text: "I work.", calls };
}

describe.skipIf(missing !== undefined)("a session with claude in every role", () => {
  it("runs from its goal to DONE, with a person's answer at both gates", { timeout: msMax }, async () => {
    await using server = await anthropicStandIn(play);
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "stand-in" };
    const agentConfig = "{ adapter: claude, role: Coder }";
    using repository = clientRepository({ agentConfig, tasks: [], env, bin });
    const { lockstep, git } = repository;

    const designed = await lockstep("start", goal, "--json");
    expect(designed.status, designed.stderr).toBe(3);
    expect(JSON.parse(designed.stdout)).toMatchObject({ workflow: { state: "APPROVE_DESIGN" } });
    expect((await lockstep("decide", "UD-APPROVE-DESIGN", "approved")).status).toBe(0);
    const planned = await lockstep("resume", "--json");
    expect(planned.status, planned.stderr).toBe(3);
    expect(JSON.parse(planned.stdout)).toMatchObject({ workflow: { state: "REVIEW_STRATEGY" } });
    expect((await lockstep("decide", "UD-REVIEW-STRATEGY", "per-batch")).status).toBe(0);
    const done = await lockstep("resume", "--json");
    expect(done.status, done.stderr).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({
      outcome: "merged",
      workflow: { state: "DONE" },
      tasks: [
        { state: "MERGED", attempts: 1 },
        { state: "MERGED", attempts: 1 },
      ],
    });
    expect(git("show", "main:b.txt")).toBe("by T-001\nby T-002");
    expect(git("status", "--porcelain")).toBe("");

    const roles = server.prompts().flatMap((said) => /You are (\w+) in a team/.exec(said)?.[1] ?? []);
    expect(new Set(roles)).toEqual(
      new Set("SpecAgent Architect Planner Coder Reviewer QA Security Integrator Docs".split(" ")),
    );
    const output = designed.stderr + planned.stderr + done.stderr;
    expect(output).toContain("T-001  qa answered OK: made it\n");
    expect(output).not.toMatch(/its answer cannot be used|: $/m);
  });
});
