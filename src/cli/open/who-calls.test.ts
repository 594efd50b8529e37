import { describe, expect, it } from "vitest";
import { agentMarks } from "../../clients/agent-shell.ts";
import type { SeenProcess } from "../../workspace/process/process-ancestors.ts";
import { recognise, type Signs } from "./who-calls.ts";

const project = "/home/u/shop";
const pack = "/usr/lib/node_modules";

type Part = Partial<SeenProcess> & { readonly words: readonly string[] };

/** From the parent upwards. */
function line(...parts: readonly Part[]): readonly SeenProcess[] {
  return parts.map((part, index) => ({
    ...{ pid: 900 - index, parent: 899 - index, environment: {}, folder: project },
    ...{ hasTerminal: true, startedMs: 0 },
    ...part,
  }));
}

function seenBy(signs: Partial<Signs>) {
  const isHere = (folder: string | undefined) => folder === undefined || folder.startsWith(project);
  return recognise({ environment: {}, ancestors: [], run: undefined, hasTerminal: false, isHere, ...signs });
}

const bash = { words: ["/bin/bash", "-c", "lockstep widen T-1 . --why x"] };
const script = { words: ["sh", "tools/release.sh"] };
const terminal = { words: ["/usr/bin/zsh"] };

describe("an agent of a client is recognized", () => {
  it.each<[string, readonly string[]]>([
    ["claude", ["claude", "-p", "do it"]],
    ["claude", ["node", `${pack}/@anthropic-ai/claude-code/cli.js`]],
    ["codex", [`${pack}/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex`, "exec"]],
    ["gemini", ["/usr/bin/node", "--max-old-space-size=12052", "/usr/local/bin/gemini", "-p", "x"]],
    ["gemini", ["node", `${pack}/@google/gemini-cli/dist/index.js`]],
    ["opencode", [`${pack}/opencode-ai/bin/opencode.exe`, "run"]],
    ["copilot", [`${pack}/@github/copilot-linux-x64/copilot`, "-p", "x"]],
    ["copilot", ["node", `${pack}/@github/copilot/index.js`]],
    ["cursor-agent", ["/home/u/.local/bin/cursor-agent"]],
    ["cursor-agent", ["node", "--use-system-ca", "/home/u/.local/share/cursor-agent/versions/1/index.js"]],
  ])("by a process above it: %s as %j", (name, words) => {
    const sign = new RegExp(`shell belongs to an agent of ${name}: its parent process 89\\d is \`${name}\``);
    const agent = { kind: "agent", seen: expect.stringMatching(sign) };
    expect(seenBy({ ancestors: line(bash, { words }, terminal) })).toMatchObject(agent);
    expect(seenBy({ ancestors: line(script, bash, { words }, terminal) })).toMatchObject(agent);
  });

  it.each([
    ["in its own environment", { environment: { CLAUDECODE: "1" } }, "CLAUDECODE is set"],
    [
      "in the environment that a shell above it was started with",
      { ancestors: line({ words: ["env", "-i"] }, { ...bash, environment: { GEMINI_CLI: "1" } }) },
      "GEMINI_CLI is set for its parent process 899",
    ],
  ])("by a variable that the client sets: %s", (_name, signs, sign) => {
    expect(seenBy(signs)).toMatchObject({ kind: "agent", seen: expect.stringContaining(sign) });
  });

  it.each(agentMarks)("by the variable %s", (mark) => {
    expect(seenBy({ environment: { [mark]: "1" } })).toMatchObject({ kind: "agent" });
  });

  it("even if its environment names a task or a role without a token", () => {
    const ancestors = line(bash, { words: ["claude"] });
    for (const environment of [{ LOCKSTEP_TASK: "T-2" }, { CLAUDE_AGENT_ROLE: "orchestrator" }])
      expect(seenBy({ ancestors, environment })).toMatchObject({ kind: "agent", environment: {} });
    const given = { LOCKSTEP_TASK: "T-2", LOCKSTEP_TOKEN: "t" };
    expect(seenBy({ ancestors, environment: given })).toMatchObject({ kind: "task", environment: given });
  });

  it("as an orchestrator by the environment of its client", () => {
    const environment = { CLAUDE_AGENT_ROLE: "orchestrator" };
    expect(seenBy({ ancestors: line(bash, { words: ["claude"], environment }) })).toMatchObject({
      kind: "agent",
      environment,
    });
  });

  it("by the client in this project, even if another client above it works elsewhere", () => {
    const outer = { words: ["claude"], folder: "/home/u/other" };
    const ancestors = line(bash, { words: ["codex"] }, { words: ["node", "vitest"] }, outer);
    expect(seenBy({ ancestors })).toMatchObject({ kind: "agent", seen: expect.stringContaining("codex") });
    expect(seenBy({ ancestors: line(bash, outer) })).toEqual({ kind: "person" });
    expect(seenBy({ ancestors: line(bash, outer), environment: { CLAUDECODE: "1" } })).toMatchObject({
      kind: "agent",
    });
  });
});

describe("an agent that a run started", () => {
  const given = { LOCKSTEP_TASK: "T-1", LOCKSTEP_TOKEN: "t", LOCKSTEP_EPOCH: "2", LOCKSTEP_ROOT: project };
  const started = { words: ["claude"], folder: "/state/checkout", environment: given };

  it("keeps its task, even if its own environment changes or lacks the variables", () => {
    for (const environment of [{}, { LOCKSTEP_TASK: "T-9", LOCKSTEP_TOKEN: "x" }])
      expect(seenBy({ environment, ancestors: line(bash, started, terminal) })).toMatchObject({
        kind: "task",
        environment: given,
      });
  });

  it("keeps its task only in the project of that run", () => {
    const elsewhere = { ...started, environment: { ...given, LOCKSTEP_ROOT: "/home/u/other" } };
    expect(seenBy({ ancestors: line(bash, elsewhere) })).toEqual({ kind: "person" });
  });

  it("is a person if the run's live view started the process with the person's terminal", () => {
    const ancestors = line({ words: ["node"], pid: 77 }, bash);
    expect(seenBy({ ancestors, run: 77, hasTerminal: true })).toEqual({ kind: "person" });
    expect(seenBy({ ancestors, run: 77, hasTerminal: false })).toMatchObject({ kind: "agent" });
  });

  it("is an agent if the process belongs to the run and has no task", () => {
    expect(seenBy({ ancestors: line(bash, { words: ["node"], pid: 77 }), run: 77 })).toMatchObject({
      kind: "agent",
      seen: expect.stringContaining("the active run, process 77"),
    });
  });
});

describe("a person is recognized", () => {
  it.each<[string, readonly Part[]]>([
    ["in a terminal", [terminal, { words: ["gnome-terminal-server"] }, { words: ["systemd", "--user"] }]],
    ["in tmux", [terminal, { words: ["tmux", "new", "-s", "claude"] }]],
    ["in an editor", [terminal, { words: ["/usr/share/code/code", "--type=utility"] }]],
    ["in an editor that is a client too", [terminal, { words: ["/opt/Cursor/cursor", "--type=utility"] }]],
    [
      "through ssh",
      [{ words: ["-bash"] }, { words: ["sshd: u@pts/0"] }, { words: ["/usr/sbin/sshd", "-D"] }],
    ],
    ["in a job of a CI", [script, { words: ["/actions-runner/bin/Runner.Worker", "spawnclient"] }]],
    ["with a script that is called after a client", [{ words: ["bash", "/home/u/bin/with-claude.sh"] }]],
    ["in a folder of that name", [{ words: ["node", "/home/u/gemini/tools/run.js"] }]],
  ])("%s", (_name, parts) => {
    expect(seenBy({ ancestors: line(...parts) })).toEqual({ kind: "person" });
  });

  it("unless the environment marks the process as an orchestrator", () => {
    const environment = { CLAUDE_AGENT_ROLE: "orchestrator" };
    expect(seenBy({ environment, ancestors: line(terminal) })).toMatchObject({ kind: "orchestrator" });
  });
});
