import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HeldGuard, heldGuard } from "../support/held-guard.ts";

interface Row {
  readonly id: string;
  readonly command: string;
}

const rowsOf = (path: string) =>
  readFileSync(new URL(path, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line.replaceAll("<+>", "")) as Row);

const ordinary = rowsOf("../corpus/ordinary.jsonl");
const attacks = rowsOf("../corpus/attacks.jsonl");
const opaque = rowsOf("../corpus/opaque.jsonl");

let guard: HeldGuard;

beforeAll(async () => {
  guard = await heldGuard();
}, 60_000);
afterAll(() => guard[Symbol.dispose]());

async function exitOf(command: string): Promise<{ exit: number; said: string }> {
  const { path } = guard.repository;
  const text = command.replaceAll("/repo", path).replaceAll("/home/user", homedir());
  const { exit, stderr } = await guard.answer("claude", {
    ...{ session_id: "s1", cwd: path, hook_event_name: "PreToolUse", tool_use_id: "t1" },
    ...{ tool_name: "Bash", tool_input: { command: text } },
  });
  return { exit, said: stderr };
}

it("no command is listed twice, and there are enough of each kind", () => {
  const commands = [...ordinary, ...attacks, ...opaque].map(({ command }) => command);
  expect(new Set(commands).size).toBe(commands.length);
  expect(ordinary.length).toBeGreaterThanOrEqual(1100);
  expect(attacks.length).toBeGreaterThanOrEqual(1740);
  expect(opaque.length).toBeGreaterThanOrEqual(140);
});

describe("through the guard of a running process", () => {
  it.each(ordinary)("$id is allowed: $command", async ({ command }) => {
    expect(await exitOf(command)).toEqual({ exit: 0, said: "" });
  });

  it.each(attacks)("$id is refused: $command", async ({ command }) => {
    const { exit, said } = await exitOf(command);
    expect(exit).toBe(2);
    expect(said).toMatch(/R-(?:PW-00[12]|IN-001): /);
  });

  it.each(opaque)("$id runs and is compared afterwards: $command", async ({ command }) => {
    expect(await exitOf(command)).toEqual({ exit: 0, said: "" });
  });
});
