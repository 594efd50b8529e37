import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { eventually, type Running } from "../support/run-command.ts";
import { teamRepository } from "../support/team-repository.ts";

const hasTerminal = process.platform === "linux" && existsSync("/usr/bin/script");

/** Runs the command on a terminal of its own; its screen output is on stdout. */
const onTerminal = {
  input: "later",
  env: { CI: "", NO_COLOR: "1" },
  through: ["sh", "-c", 'exec script -qec "$*" /dev/null', "sh"],
} as const;

function shown(running: Running, text: string): Promise<true> {
  return eventually(text, () => running.lines().some((line) => line.includes(text)) || undefined);
}

it.skipIf(!hasTerminal)(
  "a person at a terminal answers there, and the session continues to its end",
  async () => {
    using repository = teamRepository();
    using running = repository.launch(["start", "two-files"], onTerminal);
    await shown(running, "answer: approved, or changes-requested: …");
    running.process.stdin?.write("approved\n");
    await shown(running, "answer: per-batch, or single-final");
    running.process.stdin?.write("per-batch\n");
    const { status, stdout } = await running.ended;
    expect(status, stdout).toBe(0);
    expect(stdout.match(/^board: `lockstep board` opens http:\/\/127\.0\.0\.1:\d+/gm)).toHaveLength(1);
    expect(stdout).toMatch(/TASK +STATE[\s\S]*T-001 +MERGED[\s\S]*T-002 +MERGED/);
    expect(repository.status().current_state).toBe("DONE");
  },
);

it.skipIf(!hasTerminal)("a person who leaves the prompt finds the session unchanged", async () => {
  using repository = teamRepository();
  using running = repository.launch(["start", "two-files"], onTerminal);
  await shown(running, "answer: approved");
  running.process.stdin?.write("\x03");
  const { status, stdout } = await running.ended;
  expect(status, stdout).toBe(3);
  expect(stdout).toContain("lockstep decide UD-APPROVE-DESIGN approved");
  expect(repository.status()).toMatchObject({
    current_state: "APPROVE_DESIGN",
    user_decisions: [{ status: "pending" }],
  });
});
