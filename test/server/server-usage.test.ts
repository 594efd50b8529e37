import { describe, expect, it } from "vitest";
import type { NativeAnswer } from "../../src/contract/tool-call.ts";
import { Usage } from "../../src/server/usage.ts";

const minuteMs = 60_000;
const idleMs = 5 * minuteMs;

/** A server whose clock the test moves. */
function serving() {
  let now = 0;
  let next: Partial<NativeAnswer> = {};
  const usage = new Usage(
    async () => ({ exit: 0, stdout: "", stderr: "", ...next }),
    idleMs,
    () => now,
  );
  const payload = (event: string, more: object) =>
    Buffer.from(JSON.stringify({ session_id: "s", hook_event_name: event, tool_use_id: "t-1", ...more }));
  const send = async (how: "overHttp" | "onSocket", event: string, more: object, answer: typeof next) => {
    next = answer;
    await usage[how]("claude", payload(event, more), {});
  };
  return {
    /** Tool events: over HTTP. */
    http: (event: string, more: object = {}, answer: typeof next = {}) =>
      send("overHttp", event, more, answer),
    /** All other events: a command, which connects to the socket. */
    command: (event: string, more: object = {}, answer: typeof next = {}) =>
      send("onSocket", event, more, answer),
    isOverAfter: (ms: number) => {
      now += ms;
      return usage.isOver();
    },
  };
}

const refused = { exit: 2, stdout: "{}" };
const blockedStop = { stdout: JSON.stringify({ decision: "block", reason: "hand it in" }) };

describe("a server that Claude calls over HTTP", () => {
  it("ends after its idle time, and not before", async () => {
    const server = serving();
    await server.command("PreToolUse");
    expect(server.isOverAfter(idleMs - 1)).toBe(false);
    expect(server.isOverAfter(1)).toBe(true);
  });

  it.each(["SessionEnd", "Stop"])("ends after a %s, which comes as a command", async (event) => {
    const server = serving();
    await server.http("PreToolUse");
    await server.http("PostToolUse");
    await server.command(event);
    expect(server.isOverAfter(idleMs)).toBe(true);
  });

  it("stays during a call that takes hours, until the call and the turn have ended", async () => {
    const server = serving();
    await server.http("PreToolUse");
    expect(server.isOverAfter(11 * 60 * minuteMs)).toBe(false);
    await server.http("PostToolUseFailure");
    expect(server.isOverAfter(idleMs)).toBe(false);
    await server.command("Stop");
    expect(server.isOverAfter(idleMs)).toBe(true);
  });

  it("stays while the model generates, and not for a turn that a person interrupted", async () => {
    const server = serving();
    await server.http("PreToolUse");
    await server.http("PostToolUse");
    expect(server.isOverAfter(29 * minuteMs)).toBe(false);
    expect(server.isOverAfter(2 * minuteMs)).toBe(true);
  });

  it("does not stay for a refused call, nor for ever for a call of a killed client", async () => {
    const server = serving();
    await server.http("PreToolUse", {}, refused);
    expect(server.isOverAfter(31 * minuteMs)).toBe(true);
    await server.http("PreToolUse");
    expect(server.isOverAfter(12 * 60 * minuteMs + 1)).toBe(true);
  });

  it("stays for each of several concurrent calls", async () => {
    const server = serving();
    await server.http("PreToolUse");
    await server.http("PreToolUse", { tool_use_id: "t-2" });
    await server.http("PostToolUse");
    expect(server.isOverAfter(60 * minuteMs)).toBe(false);
    await server.http("PostToolUse", { tool_use_id: "t-2" });
    expect(server.isOverAfter(31 * minuteMs)).toBe(true);
  });

  it.each<[string, object, Partial<NativeAnswer>]>([
    ["refused", {}, blockedStop],
    ["of an agent that left a command running", { background_tasks: [{ id: "b" }] }, {}],
    ["of an agent that will be woken", { session_crons: [{ id: "c" }] }, {}],
  ])("stays after a stop that is %s", async (_, more, answer) => {
    const server = serving();
    await server.http("PreToolUse");
    await server.command("Stop", more, answer);
    expect(server.isOverAfter(60 * minuteMs)).toBe(false);
  });

  it("stays for a background subagent, until it stops or the session ends", async () => {
    for (const [event, more] of [
      ["SubagentStop", { agent_id: "a" }],
      ["SessionEnd", {}],
    ] as const) {
      const server = serving();
      await server.http("PreToolUse", { agent_id: "a" });
      await server.command("Stop");
      expect(server.isOverAfter(60 * minuteMs)).toBe(false);
      await server.command(event, more);
      expect(server.isOverAfter(idleMs)).toBe(true);
    }
  });

  it("stays for a session if another one ends whose name has the same prefix", async () => {
    const server = serving();
    await server.http("PreToolUse", { session_id: "s-1" });
    await server.command("SessionEnd", { session_id: "s" });
    expect(server.isOverAfter(60 * minuteMs)).toBe(false);
    await server.command("SessionEnd", { session_id: "s-1" });
    expect(server.isOverAfter(idleMs)).toBe(true);
  });

  it("does not stay for clients whose hooks are commands, which start it again", async () => {
    const server = serving();
    await server.command("PreToolUse");
    expect(server.isOverAfter(idleMs)).toBe(true);
  });
});
