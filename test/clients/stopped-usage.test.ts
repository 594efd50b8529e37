import { appendFileSync, chmodSync, mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { AgentClient, AgentEvent } from "../../src/clients/agent.ts";
import { codexAgent } from "../../src/clients/codex/run.ts";
import { copilotAgent } from "../../src/clients/copilot/run.ts";
import { geminiAgent } from "../../src/clients/gemini/run.ts";
import type { ClientSettings } from "../../src/clients/process/stream-client.ts";
import { eventually } from "../support/run-command.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { PATH, startWith } from "./started-agent.ts";

const id = "449feed5-2b93-436a-99a0-99b3c7d99d87";

/** How a client begins, and where and how its record reports the usage of the second answer: 100 read, 10 written. */
interface Recording {
  readonly agent: (settings: ClientSettings) => AgentClient;
  readonly begins: object;
  readonly record: (session: string) => string;
  readonly answer: (count: number) => object;
}

const recordings: readonly (readonly [string, Recording])[] = [
  [
    "gemini",
    {
      agent: geminiAgent,
      begins: { type: "init", session_id: id },
      record: () => `.gemini/tmp/project/chats/session-2026-11-16T14-46-${id.slice(0, 8)}.jsonl`,
      answer: (count) => ({ id: `a${count}`, type: "gemini", tokens: { input: 100, total: 110 } }),
    },
  ],
  [
    "codex",
    {
      agent: codexAgent,
      begins: { type: "thread.started", thread_id: id },
      record: () => `.codex/sessions/2026/11/16/rollout-2026-11-16T14-46-00-${id}.jsonl`,
      answer: (count) => ({
        type: "event_msg",
        payload: {
          type: "token_count",
          info: { total_token_usage: { input_tokens: 100 * count, output_tokens: 10 * count } },
        },
      }),
    },
  ],
  [
    "copilot",
    {
      agent: copilotAgent,
      begins: { type: "session.start", data: {} },
      record: (session) => `.copilot/session-state/${session}/events.jsonl`,
      answer: () => ({
        type: "session.usage_record",
        data: { usage: { inputTokens: 100, outputTokens: 10 } },
      }),
    },
  ],
];

afterEach(() => void vi.unstubAllEnvs());

describe.each(recordings)("%s", (name, { agent, begins, record, answer }) => {
  /** A program with the client's name that prints its beginning and then nothing more, as during a long command. */
  function program() {
    const folder = temporaryFolder({
      [`bin/${name}`]: `#!/bin/sh\necho '${JSON.stringify(begins)}'\nexec sleep 600\n`,
    });
    chmodSync(join(folder.path, `bin/${name}`), 0o755);
    vi.stubEnv("HOME", folder.path);
    for (const moved of ["GEMINI_CLI_HOME", "CODEX_HOME", "COPILOT_HOME"]) vi.stubEnv(moved, undefined);
    const events: AgentEvent[] = [];
    const env = { PATH: `${join(folder.path, "bin")}${delimiter}${PATH}` };
    const run = agent({ model: null, args: [], env: {} }).start(
      startWith({ env, folder: folder.path, msMax: 600_000, onEvent: (event) => events.push(event) }),
    );
    const add = (count: number) => {
      const conversation = events.find((event) => event.type === "conversation");
      const file = join(folder.path, record(conversation?.id ?? ""));
      mkdirSync(dirname(file), { recursive: true });
      appendFileSync(file, `${JSON.stringify(answer(count))}\n`);
    };
    const used = () => events.flatMap((event) => (event.type === "usage" ? [event.tokens] : []));
    const begun = () => eventually("it has begun", () => events.find(({ type }) => type === "conversation"));
    return { ...folder, run, add, used, begun };
  }

  it("reports the usage of an answer while the client prints nothing more", async () => {
    using fake = program();
    await fake.begun();
    fake.add(1);
    await eventually("the usage is reported", () => fake.used()[0]);
    expect(fake.used()).toEqual([110]);
    await fake.run.stop();
    expect(fake.used()).toEqual([110]);
  });

  it("reports its last usage even if it is stopped at that moment", async () => {
    using fake = program();
    await fake.begun();
    fake.add(1);
    fake.add(2);
    await fake.run.stop();
    expect(await fake.run.ended).toEqual({ how: "stopped" });
    expect(fake.used()).toEqual([110, 110]);
  });
});
