import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AgentStart } from "../../src/clients/agent.ts";
import { claudeAgent } from "../../src/clients/claude/run.ts";
import { started } from "../clients/started-agent.ts";
import { missing as noSandbox } from "../support/sandboxed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { anthropicStandIn } from "./support/anthropic.ts";
import { clientRepository, fileTask, report } from "./support/client-repository.ts";
import { installClient } from "./support/install-client.ts";
import type { Answer } from "./support/stand-in.ts";

const { bin, missing } = await installClient("claude", "@anthropic-ai/claude-code", "2.1.325");

const writes = (path: string, text = "I write.") => ({
  text,
  calls: [{ name: "Write", input: { file_path: path, content: "made\n" } }],
  usage: { input: 100, cached: 50, output: 20 },
});
const reports = { text: report(), usage: { input: 120, cached: 60, output: 7 } };
const person = (url: string) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "stand-in" });
const agentConfig = "{ adapter: claude, role: Coder }";

describe.skipIf(missing !== undefined)("a run with claude", () => {
  it("does a task in its sandbox, and the work is proven and merged", async () => {
    await using server = await anthropicStandIn([writes("A.txt"), reports]);
    const goal = `make A.txt ${"and think of it ".repeat(5000)}until the end of this goal`;
    const tasks = [fileTask("A").replace("make A.txt", goal)];
    using repository = clientRepository({ agentConfig, tasks, env: person(server.url), bin });
    const { status, stderr, done } = await repository.run();
    expect(status, stderr).toBe(0);
    expect(done).toMatchObject({
      outcome: "merged",
      tasks: [{ state: "MERGED", attempts: 1, usage: { tokens: 247, input: 220, cached: 110, output: 27 } }],
    });
    expect(done.tasks[0]?.usage.cost_usd).toBeGreaterThan(0);
    expect(repository.git("show", "main:A.txt")).toBe("made");
    expect(server.prompts()[0]).toContain(goal);
    expect(server.asked.filter(({ path }) => !path.startsWith("/v1/messages"))).toEqual([]);
  });

  it.skipIf(noSandbox !== undefined)(
    "reads the person's own instructions, and cannot change them",
    async () => {
      const calls = [{ name: "Bash", input: { command: "echo planted >> ~/.claude/CLAUDE.md" } }];
      await using server = await anthropicStandIn([writes("A.txt"), { calls }, reports]);
      const env = person(server.url);
      using repository = clientRepository({ agentConfig, tasks: [fileTask("A")], env, bin });
      repository.home.write(".claude/CLAUDE.md", "Be brief.\n");
      const { status, stderr } = await repository.run();
      expect(status, stderr).toBe(0);
      expect(server.prompts()[0]).toContain("Be brief.");
      expect(server.prompts().at(-1)).toMatch(/read-only file system/i); // zsh writes it in another way
      expect(readFileSync(join(repository.home.path, ".claude/CLAUDE.md"), "utf8")).toBe("Be brief.\n");
    },
  );

  it("may edit and run the task's check without a sandbox, and cannot write elsewhere", async () => {
    using outside = temporaryFolder();
    const calls = ["test -e A.txt", `node -e "1" > x.txt`].map((command) => ({
      name: "Bash",
      input: { command },
    }));
    const stray = { name: "Write", input: { file_path: join(outside.path, "stray.txt"), content: "" } };
    await using server = await anthropicStandIn([writes("A.txt"), { calls: [...calls, stray] }, reports]);
    using repository = clientRepository({
      ...{ tasks: [fileTask("A")], env: person(server.url), bin },
      agentConfig: `{ adapter: claude, role: Coder, env: { TMPDIR: ${outside.path} } }`,
      config: "sandbox: off\n",
    });
    const { status, stderr, done } = await repository.run();
    expect(status, stderr).toBe(0);
    expect(done.tasks).toMatchObject([{ state: "MERGED", attempts: 1 }]);
    const last = server.prompts().at(-1);
    expect(last).toContain("Bash completed with no output");
    expect(last).toMatch(/requires approval/);
    expect(existsSync(join(outside.path, "stray.txt"))).toBe(false);
  });

  it("resumes the conversation after a refused review, with only the new part", async () => {
    const fixes = { text: "I fix it.", calls: [{ name: "Bash", input: { command: "rm stray.txt" } }] };
    const turns = [writes("A.txt"), writes("stray.txt", "And another."), reports, fixes, reports];
    await using server = await anthropicStandIn(turns);
    using repository = clientRepository({
      agentConfig,
      tasks: [fileTask("A")],
      env: person(server.url),
      bin,
    });
    const { status, stderr, done } = await repository.run();
    expect(status, stderr).toBe(0);
    expect(done.tasks).toMatchObject([{ state: "MERGED", attempts: 2 }]);
    const [first = "", , , again = ""] = server.prompts();
    expect(again).toContain("I write.");
    expect(again).toContain("stray.txt");
    expect(again.split("Your input is the JSON document").length).toBe(2);
    expect(first).not.toContain("stray.txt");
  });

  it("waits for the end of a limit of its account and continues", async () => {
    const seconds = Math.ceil(Date.now() / 1000) + 5;
    await using server = await anthropicStandIn([limit(seconds), writes("A.txt"), reports]);
    const env = { ANTHROPIC_BASE_URL: server.url, CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-stand-in" };
    using repository = clientRepository({ agentConfig, tasks: [fileTask("A")], env, bin });
    const { status, stderr, done } = await repository.run();
    expect(status, stderr).toBe(0);
    expect(done.tasks).toMatchObject([{ state: "MERGED" }]);
  });

  it("is refused before anything starts if claude is not logged in", async () => {
    using repository = clientRepository({ agentConfig, tasks: [fileTask("A")], bin });
    const { status, stderr } = await repository.lockstep("run");
    expect(status).not.toBe(0);
    expect(stderr).toContain("not logged in");
  });
});

/** The answer to an account without quota. */
function limit(resetSeconds: number): Answer {
  const unified = (name: string, value: string) => [`anthropic-ratelimit-unified-${name}`, value];
  return {
    status: 429,
    headers: Object.fromEntries([
      unified("status", "rejected"),
      unified("reset", String(resetSeconds)),
      unified("representative-claim", "five_hour"),
      unified("5h-status", "rejected"),
      unified("5h-reset", String(resetSeconds)),
      unified("5h-utilization", "1.01"),
    ]),
    body: refusal("rate_limit_error", "This request would exceed your account's rate limit"),
  };
}

function refusal(type: string, message: string) {
  return { type: "error", error: { type, message } };
}

describe.skipIf(missing !== undefined)("claude", () => {
  beforeEach(() => {
    vi.stubEnv("PATH", `${bin}${delimiter}${process.env.PATH}`);
  });
  afterEach(() => void vi.unstubAllEnvs());

  /** Runs claude once, in a home and a folder of its own, like a person with an account or a key. */
  async function once(answers: Parameters<typeof anthropicStandIn>[0], more: Partial<AgentStart> = {}) {
    await using server = await anthropicStandIn(answers);
    using home = temporaryFolder();
    const folder = temporaryFolder();
    const client = claudeAgent({ model: null, args: [], env: { CLAUDE_CODE_MAX_RETRIES: "1" } });
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: home.path,
      TMPDIR: home.path,
      ...person(server.url),
      ...more.env,
    };
    const { folder: work = folder.path } = more;
    const ran = await started(client, { prompt: "do it", ...more, folder: work, env });
    folder[Symbol.dispose]();
    return { ...ran, prompts: server.prompts(), asked: server.asked };
  }

  it("with an account without quota is limited until the time that the server sends", async () => {
    const env = { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-stand-in" };
    const { end } = await once([limit(1795000000)], { env });
    expect(end).toMatchObject({ how: "limited", until: new Date(1795000000_000) });
  });

  it.each<[string, number, string, object]>([
    ["with a rate limit for its key", 429, "rate_limit_error", { how: "limited", until: null }],
    ["with an unknown key", 401, "authentication_error", { how: "unauthenticated" }],
    ["with an overloaded server", 529, "overloaded_error", { how: "unavailable" }],
  ])("%s (%i) reports that", async (_, status, type, expected) => {
    const { end } = await once([{ status, body: refusal(type, "no") }]);
    expect(end).toMatchObject(expected);
  });

  it("with an unreachable server is unavailable", async () => {
    const { end } = await once([], { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" } });
    expect(end).toMatchObject({ how: "unavailable" });
  });

  it("gets a whole prompt of one megabyte", async () => {
    const prompt = `begin ${"é word ".repeat(150_000)} end`;
    const { end, prompts } = await once([reports], { prompt });
    expect(end).toMatchObject({ how: "done", answer: { status: "OK" } });
    expect(prompts[0]).toContain(prompt);
  });

  it("reads the project's instructions, and ignores its settings and its servers", async () => {
    using project = temporaryFolder({ "CLAUDE.md": "Indent with three spaces.\n" });
    const mark = (name: string) => join(project.path, name);
    const hook = { hooks: [{ type: "command", command: `touch ${mark("hooked")}` }] };
    project.write(
      ".claude/settings.json",
      JSON.stringify({ hooks: { PreToolUse: [hook] }, disableAllHooks: true }),
    );
    const server = { command: "touch", args: [mark("served")] };
    writeFileSync(mark(".mcp.json"), JSON.stringify({ mcpServers: { server } }));
    const { prompts } = await once([writes("A.txt"), reports], { folder: project.path });
    expect(prompts[0]).toContain("Indent with three spaces.");
    expect(["A.txt", "hooked", "served"].filter((name) => existsSync(mark(name)))).toEqual(["A.txt"]);
  });

  it("with an unknown conversation has failed and reports that", async () => {
    const { end } = await once([], { resume: "00000000-0000-4000-8000-000000000000" });
    expect(end).toMatchObject({ how: "failed", reason: expect.stringContaining("No conversation found") });
  });
});
