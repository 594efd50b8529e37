import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../src/cli/open-engine.ts";
import type { GuardEndpoint } from "../src/guard/guard-endpoint.ts";
import { guardEndpoint } from "../src/guard/open-endpoint.ts";
import {
  agentEnvironment,
  type Dispatched,
  type GuardedRepository,
  guardedRepository,
} from "./support/guarded-repository.ts";

interface Row {
  readonly id: string;
  readonly command: string;
}

const rowsOf = (path: string) =>
  readFileSync(new URL(path, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line.replaceAll("<+>", "")) as Row);

let repository: GuardedRepository;
let own: Dispatched;
let endpoint: GuardEndpoint;
let opened: Awaited<ReturnType<typeof openEngine>>;

beforeAll(async () => {
  repository = guardedRepository();
  own = await repository.dispatch("T-A", ["src/a/**"]);
  await repository.dispatch("T-B", ["src/b/**"]);
  const before = [process.cwd(), process.env.PWD] as const;
  process.chdir(repository.path);
  process.env.PWD = repository.path;
  opened = await openEngine();
  process.chdir(before[0]);
  process.env.PWD = before[1];
  endpoint = guardEndpoint({ ...opened, isRunAlive: () => false });
}, 60_000);
afterAll(() => {
  opened[Symbol.dispose]();
  repository[Symbol.dispose]();
});

async function exitOf(command: string, env: Record<string, string>): Promise<{ exit: number; said: string }> {
  const text = command.replaceAll("/repo", repository.path).replaceAll("/home/user", homedir());
  const payload = {
    ...{ session_id: "s1", cwd: repository.path, hook_event_name: "PreToolUse", tool_use_id: "t1" },
    ...{ tool_name: "Bash", tool_input: { command: text } },
  };
  const { exit, stderr } = await endpoint("claude", Buffer.from(JSON.stringify(payload)), {
    PATH: process.env.PATH ?? "",
    ...env,
  });
  return { exit, said: stderr };
}

describe("through the guard of a process that stays", () => {
  it.each(rowsOf("corpus/ordinary.jsonl"))("$id is let through: $command", async ({ command }) => {
    expect(await exitOf(command, agentEnvironment(own))).toEqual({ exit: 0, said: "" });
  });

  it.each(rowsOf("corpus/attacks.jsonl"))("$id is refused: $command", async ({ command }) => {
    const { exit, said } = await exitOf(command, agentEnvironment(own));
    expect(exit).toBe(2);
    expect(said).toMatch(/R-(?:PW-00[12]|IN-001): /);
  });

  it.each(rowsOf("corpus/opaque.jsonl"))(
    "$id runs and is looked at afterwards: $command",
    async ({ command }) => {
      expect(await exitOf(command, agentEnvironment(own))).toEqual({ exit: 0, said: "" });
    },
  );
});
