import { chmodSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { codexAgent } from "../../src/clients/codex/run.ts";
import { copilotAgent } from "../../src/clients/copilot/run.ts";
import { geminiAgent } from "../../src/clients/gemini/run.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { PATH, started } from "./started-agent.ts";

// Recorded from gemini 0.61.0 and codex 0.166.0, except the line about skills, of which only the text is known.
const trace = [
  "Error when talking to Gemini API TerminalQuotaError: Your quota will reset after 3h17m5s.",
  "    at classifyGoogleError (file:///usr/lib/gemini/chunk-JDPZ4CE3.js:307375:18)",
  "    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)",
  "    at async main (file:///usr/lib/gemini/gemini-3HFX2LNT.js:17627:5) {",
  "  cause: {",
  "    code: 429,",
  "    details: [ [Object] ]",
  "  },",
  "  status: 429",
  "}",
];
const ofGemini = [
  "Warning: 256-color support not detected. Using a terminal with at least 256-color support is recommended",
  "YOLO mode is enabled. All tool calls will be automatically approved.",
  "Ripgrep is not available. Falling back to GrepTool.",
  "[STARTUP] Phase 'cleanup_ops' was started but never ended. Skipping metrics.",
];
const ofCodex = [
  "WARNING: proceeding, even though we could not create PATH aliases: Refusing to create helper binaries",
  "2026-11-16T14:57:19.106565Z ERROR codex_core::session: failed to record rollout items: thread 1 not found",
  "2026-11-16T14:57:18.000000Z ERROR codex_core: failed to install system skills: Read-only file system",
  "Reading prompt from stdin...",
];

afterEach(() => void vi.unstubAllEnvs());

describe.each([
  ["gemini", geminiAgent, ofGemini],
  ["codex", codexAgent, ofCodex],
  ["copilot", copilotAgent, []],
] as const)("the output of %s besides its messages", (name, agent, noise) => {
  /** The shown part of these lines, and the number of events. */
  async function shown(lines: readonly string[], { exit = 0 } = {}) {
    using folder = temporaryFolder({
      lines: lines.map((line) => `${line}\n`).join(""),
      [`bin/${name}`]: `#!/bin/sh\ncat > /dev/null; cat "$(dirname "$0")/../lines" >&2; exit ${exit}\n`,
    });
    chmodSync(join(folder.path, `bin/${name}`), 0o755);
    vi.stubEnv("HOME", folder.path);
    const env = { PATH: `${join(folder.path, "bin")}${delimiter}${PATH}` };
    const { end, events, said } = await started(agent({ model: null, args: [], env: {} }), {
      ...{ env, folder: folder.path },
    });
    return { end, count: events.length, said: said.filter((text) => text !== "") };
  }

  it("is shown with the first line of each stack trace, and every line is a sign of life", async () => {
    const { said, count } = await shown(["one", ...trace, "two", "{ not: json"]);
    expect(said).toEqual(["one", trace[0], "two", "{ not: json"]);
    expect(count).toBe(trace.length + 3);
  });

  it("is not shown if it is only about the client itself", async () => {
    const { said, count } = await shown([...noise, "the server cannot be reached"]);
    expect(said).toEqual(["the server cannot be reached"]);
    expect(count).toBe(noise.length + 1);
  });

  it("is shown completely if the client fails with nothing else", async () => {
    const { end } = await shown([...noise, ...trace], { exit: 7 });
    expect(end).toMatchObject({ how: "failed", output: expect.stringContaining("at async main") });
  });
});
