import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AgentEvent, AgentStart } from "../../src/clients/agent.ts";
import { copilotAgent } from "../../src/clients/copilot/run.ts";
import { started } from "../clients/started-agent.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";
import { type ClientRepository, clientRepository, fileTask, report } from "./support/client-repository.ts";
import { installClient } from "./support/install-client.ts";
import { openaiStandIn } from "./support/openai.ts";
import type { Answer, Turn } from "./support/stand-in.ts";

const { bin, missing } = await installClient("copilot", "@github/copilot", "1.0.102");

const runs = (command: string, text?: string): Turn => ({
  ...(text === undefined ? {} : { text }),
  calls: [{ name: "bash", input: { command, description: "does it" } }],
  usage: { input: 100, cached: 50, output: 20 },
});
const writes = (path: string, text = "I write.") => runs(`echo made > ${path}`, text);
const reports: Turn = { text: report(), usage: { input: 120, cached: 60, output: 7 } };
const agentConfig = "{ adapter: copilot, role: Coder, model: stand-in }";

/**
 * The environment of a person with a provider of their own. Copilot masks the letters of the key wherever they occur.
 */
const person = (url: string) => ({
  COPILOT_OFFLINE: "true",
  COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
  COPILOT_PROVIDER_API_KEY: "key-of-the-stand-in",
  COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "1000000",
  COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: "8000",
});
const refusal = (status: number, message: string): Answer => ({
  ...{ status, body: { error: { message } } },
  headers: { "retry-after": "7200" }, // it waits itself if the time is short or unknown
});

describe.skipIf(missing !== undefined)("a run with copilot", () => {
  function repositoryFor(url: string, more: Partial<Parameters<typeof clientRepository>[0]> = {}) {
    return clientRepository({ agentConfig, tasks: [fileTask("A")], env: person(url), bin, ...more });
  }

  async function expectDone(repository: ClientRepository, attempts: number) {
    const { status, stderr, done } = await repository.run();
    expect(status, stderr).toBe(0);
    expect(done).toMatchObject({ outcome: "merged", tasks: [{ state: "MERGED", attempts }] });
    return done.tasks[0];
  }

  it("does a task in its sandbox, and the work is proven and merged", async () => {
    await using server = await openaiStandIn([writes("A.txt"), reports]);
    const goal = `make A.txt ${"and think of it ".repeat(5000)}until the end of this goal`;
    using repository = repositoryFor(server.url, {
      tasks: [fileTask("A").replace("make A.txt", goal)],
      config: "sandbox: required\n",
    });
    const task = await expectDone(repository, 1);
    expect(task?.usage).toMatchObject({ tokens: 247, input: 220, cached: 110, output: 27 });
    expect(repository.git("show", "main:A.txt")).toBe("made");
    expect(server.prompts()[0]).toContain(goal);
    expect(server.asked.filter(({ path }) => path !== "/v1/chat/completions")).toEqual([]);
  });

  it("is restricted to its folder by copilot itself without a sandbox", async () => {
    using outside = temporaryFolder();
    const stray = join("/var/tmp", outside.path.replaceAll("/", "-"));
    await using server = await openaiStandIn([
      ...[writes("A.txt"), runs("cat A.txt"), runs(`touch ${stray}`), reports],
    ]);
    using repository = repositoryFor(server.url, { config: "sandbox: off\n" });
    await expectDone(repository, 1);
    expect(server.prompts().at(-1)).toMatch(/made[\s\S]*Permission denied/);
    expect(existsSync(stray)).toBe(false);
  });

  it("resumes the conversation after a refused review, with only the new part", async () => {
    const turns = [writes("A.txt"), writes("stray.txt"), reports, runs("rm stray.txt"), reports];
    await using server = await openaiStandIn(turns);
    using repository = repositoryFor(server.url);
    const task = await expectDone(repository, 2);
    expect(task?.usage).toMatchObject({ tokens: 3 * 120 + 2 * 127 });
    const [, , , again = ""] = server.prompts();
    expect(again).toContain("I write.");
    expect(again.split("Your input is the JSON document").length).toBe(2);
  });

  it("waits for the end of a limit of its account and continues", async () => {
    const limit = refusal(429, "You've hit a rate limit. Please try again in 3 seconds.");
    await using server = await openaiStandIn([limit, writes("A.txt"), reports]);
    using repository = repositoryFor(server.url);
    const { status, stderr, done } = await repository.run();
    expect(status, stderr).toBe(0);
    expect(done).toMatchObject({ outcome: "merged", tasks: [{ state: "MERGED" }] });
  });

  it("is refused before anything starts if copilot is not logged in", async () => {
    using repository = clientRepository({ agentConfig, tasks: [fileTask("A")], bin });
    const { status, stderr } = await repository.lockstep("run");
    expect(status).not.toBe(0);
    expect(stderr).toContain("not logged in");
    expect(repository.git("for-each-ref", "refs/heads/lockstep")).toBe("");
  });
});

describe.skipIf(missing !== undefined)("copilot", () => {
  beforeEach(() => {
    vi.stubEnv("PATH", `${bin}${delimiter}${process.env.PATH}`);
  });
  afterEach(() => void vi.unstubAllEnvs());

  /** Runs copilot once, in a home and a folder of its own. */
  async function once(
    answers: readonly (Turn | Answer)[],
    { home: given, env: more = {}, ...start }: Partial<AgentStart> & { home?: TemporaryFolder } = {},
  ) {
    await using server = await openaiStandIn(answers);
    using own = temporaryFolder();
    using folder = temporaryFolder();
    const home = given ?? own;
    const client = copilotAgent({ model: "stand-in", args: [], env: { COPILOT_HOME: home.path } });
    const env = {
      ...{ PATH: process.env.PATH ?? "", HOME: home.path, ...person(server.url) },
      COPILOT_CACHE_HOME: join(bin, "..", "..", "cache"), // it unpacks itself there
      ...more,
    };
    const rest = { prompt: "do it", folder: folder.path, sandboxed: true, msMax: 120_000, env, ...start };
    const ran = await started(client, rest);
    return { ...ran, prompts: server.prompts() };
  }
  const tokens = (events: readonly AgentEvent[]) =>
    events.flatMap((event) => (event.type === "usage" ? [event.tokens] : []));

  it("with an account without quota is limited until the reported time", async () => {
    const before = Date.now();
    const { end } = await once([refusal(429, "You've hit a rate limit. Please try again in 2 hours.")]);
    expect(end).toMatchObject({ how: "limited", reason: expect.stringContaining("rate limit") });
    const until = end.how === "limited" ? (end.until?.getTime() ?? 0) : 0;
    expect(until - before).toBeGreaterThan(2 * 3600_000);
    expect(until - before).toBeLessThan(2 * 3600_000 + 60_000);
  });

  it.each<[string, Answer, object]>([
    ["without credit for its key", refusal(402, "no"), { how: "limited", until: null }],
    ["with an unknown key", refusal(401, "no"), { how: "unauthenticated" }],
    ["with an overloaded server", refusal(503, "no"), { how: "unavailable" }],
    ["with an unknown model", refusal(400, "no such model"), { how: "failed" }],
  ])("%s reports that", async (_, answer, expected) => {
    const { end } = await once([answer]);
    expect(end).toMatchObject(expected);
  });

  it("with an unreachable server is unavailable", async () => {
    const { end } = await once([], { env: { COPILOT_PROVIDER_BASE_URL: "http://127.0.0.1:9/v1" } });
    expect(end).toMatchObject({ how: "unavailable" });
  });

  it("without a login and without a provider is unauthenticated", async () => {
    const { end } = await once([], { env: { COPILOT_PROVIDER_BASE_URL: "", COPILOT_OFFLINE: "" } });
    expect(end).toMatchObject({ how: "unauthenticated", reason: expect.stringContaining("copilot login") });
  });

  it("gets a whole prompt of one megabyte", async () => {
    const prompt = `begin ${"é word ".repeat(150_000)} end`;
    const { end, prompts } = await once([reports], { prompt });
    expect(end).toMatchObject({ how: "done", answer: { status: "OK" } });
    expect(prompts[0]).toContain(prompt);
  });

  it("reports its usage while it works, and earlier usage only once", async () => {
    using home = temporaryFolder();
    const first = await once([writes("A.txt"), runs("true"), reports], { home });
    expect(tokens(first.events)).toEqual([120, 120, 127]);
    const [{ id } = { id: "" }] = first.events.filter((event) => event.type === "conversation");
    const again = await once([reports], { home, prompt: "fix it", resume: id });
    expect(tokens(again.events)).toEqual([127]);
    expect(again.prompts[0]).toMatch(/do it[\s\S]*fix it/);
    expect(again.events).toContainEqual({ type: "conversation", id });
  });

  it("reads the project's instructions, and ignores its hooks and its servers", async () => {
    using project = temporaryFolder({ "AGENTS.md": "Indent with three spaces.\n" });
    const mark = (name: string) => join(project.path, name);
    const hook = { type: "command", bash: `touch ${mark("hooked")}`, timeoutSec: 5 };
    project.write(".github/hooks/x.json", JSON.stringify({ version: 1, hooks: { sessionStart: [hook] } }));
    const server = { type: "local", command: "touch", args: [mark("served")], tools: ["*"] };
    project.write(".mcp.json", JSON.stringify({ mcpServers: { server } }));
    const { prompts } = await once([writes("A.txt"), reports], { folder: project.path });
    expect(prompts[0]).toContain("Indent with three spaces.");
    expect(["A.txt", "hooked", "served"].filter((name) => existsSync(mark(name)))).toEqual(["A.txt"]);
  });
});
