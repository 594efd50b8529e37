import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AgentEvent, AgentStart } from "../../src/clients/agent.ts";
import { codexAgent } from "../../src/clients/codex/run.ts";
import { started } from "../clients/started-agent.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";
import { type ClientRepository, clientRepository, fileTask, report } from "./support/client-repository.ts";
import { installClient } from "./support/install-client.ts";
import { openaiStandIn } from "./support/openai.ts";
import type { Answer, Turn } from "./support/stand-in.ts";

const { bin, missing } = await installClient("codex", "@openai/codex", "0.166.0");

const writes = (path: string, text = "I write."): Turn => ({
  text,
  calls: [{ name: "apply_patch", input: `*** Begin Patch\n*** Add File: ${path}\n+made\n*** End Patch` }],
  usage: { input: 100, cached: 50, output: 20 },
});
const runs = (cmd: string): Turn => ({ calls: [{ name: "exec_command", input: { cmd } }] });
const reports: Turn = { text: report(), usage: { input: 120, cached: 60, output: 7 } };
const agentConfig = "{ adapter: codex, role: Coder }";

/** Settings that make codex use the stand-in. */
const settings = (url: string) =>
  [
    'model = "gpt-5.5"',
    'model_provider = "stand-in"',
    "[model_providers.stand-in]",
    'name = "stand-in"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    'env_key = "STAND_IN_KEY"',
    "request_max_retries = 1",
    "stream_max_retries = 1",
    "",
  ].join("\n");
const refusal = (status: number, error: object): Answer => ({ status, body: { error } });

describe.skipIf(missing !== undefined)("a run with codex", () => {
  function repositoryFor(url: string, more: Partial<Parameters<typeof clientRepository>[0]> = {}) {
    const env = { STAND_IN_KEY: "stand-in" };
    const repository = clientRepository({ agentConfig, tasks: [fileTask("A")], env, bin, ...more });
    repository.home.write(".codex/config.toml", settings(url));
    return repository;
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
    expect(server.prompts()[0]).toContain("`danger-full-access`"); // two nested sandboxes do not work
    expect(server.asked.filter(({ path }) => path !== "/v1/responses")).toEqual([]);
  });

  it("uses codex's own sandbox if there is no other", async () => {
    using outside = temporaryFolder();
    const stray = join("/var/tmp", outside.path.replaceAll("/", "-"));
    await using server = await openaiStandIn([writes("A.txt"), runs(`cat A.txt; touch ${stray}`), reports]);
    using repository = repositoryFor(server.url, { config: "sandbox: off\n" });
    await expectDone(repository, 1);
    expect(server.prompts().at(-1)).toContain("made");
    expect(existsSync(stray)).toBe(false);
  });

  it("resumes the conversation after a refused review, with only the new part", async () => {
    const turns = [
      writes("A.txt"),
      writes("stray.txt", "And another."),
      reports,
      runs("rm stray.txt"),
      reports,
    ];
    await using server = await openaiStandIn(turns);
    using repository = repositoryFor(server.url);
    const task = await expectDone(repository, 2);
    expect(task?.usage).toMatchObject({ tokens: 120 + 120 + 127 + 110 + 127 });
    const [, , , again = ""] = server.prompts();
    expect(again).toContain("I write.");
    expect(again.split("Your input is the JSON document").length).toBe(2);
  });

  it("asks the person to log in if the server rejects the login", async () => {
    await using server = await openaiStandIn([refusal(401, { message: "no such key" })]);
    using repository = repositoryFor(server.url);
    const { status, done } = await repository.run();
    expect([status, done.outcome]).toEqual([3, "waiting"]);
    expect(JSON.stringify(done)).toContain("no such key");
  });

  it("is refused before anything starts if codex is not logged in", async () => {
    using repository = clientRepository({ agentConfig, tasks: [fileTask("A")], bin });
    const { status, stderr } = await repository.lockstep("run");
    expect(status).not.toBe(0);
    expect(stderr).toContain("not logged in");
    expect(repository.git("for-each-ref", "refs/heads/lockstep")).toBe("");
  });
});

describe.skipIf(missing !== undefined)("codex", () => {
  beforeEach(() => {
    vi.stubEnv("PATH", `${bin}${delimiter}${process.env.PATH}`);
  });
  afterEach(() => void vi.unstubAllEnvs());

  /** Runs codex once, in a home and a folder of its own. */
  async function once(
    answers: readonly (Turn | Answer)[],
    { home: given, url, ...more }: Partial<AgentStart> & { home?: TemporaryFolder; url?: string } = {},
  ) {
    await using server = await openaiStandIn(answers);
    using own = temporaryFolder();
    using folder = temporaryFolder();
    const home = given ?? own;
    home.write("config.toml", settings(url ?? server.url));
    const client = codexAgent({ model: null, args: [], env: { CODEX_HOME: home.path } });
    const env = { PATH: process.env.PATH ?? "", HOME: home.path, STAND_IN_KEY: "stand-in" };
    const ran = await started(client, {
      prompt: "do it",
      folder: folder.path,
      sandboxed: true,
      env,
      ...more,
    });
    return { ...ran, prompts: server.prompts() };
  }
  const tokens = (events: readonly AgentEvent[]) =>
    events.flatMap((event) => (event.type === "usage" ? [event.tokens] : []));

  it("with an account without quota is limited until the time that the server sends", async () => {
    const resets_at = Math.ceil(Date.now() / 60_000) * 60 + 3 * 24 * 3600;
    const error = { type: "usage_limit_reached", message: "no", plan_type: "plus", resets_at };
    const { end } = await once([refusal(429, error)]);
    expect(end).toMatchObject({ how: "limited", until: new Date((resets_at + 60) * 1000) });
  });

  it.each<[string, Answer, object]>([
    [
      "whose key has no money left",
      refusal(429, { code: "insufficient_quota" }),
      { how: "limited", until: null },
    ],
    ["with a rate limit for its key", refusal(429, { message: "no" }), { how: "limited", until: null }],
    ["with an unknown key", refusal(401, { message: "no" }), { how: "unauthenticated" }],
    ["with an overloaded server", refusal(503, { message: "no" }), { how: "unavailable" }],
    [
      "that asks for what its server does not have",
      refusal(400, { message: "no such model" }),
      { how: "failed" },
    ],
  ])("%s reports that", async (_, answer, expected) => {
    const { end } = await once([answer]);
    expect(end).toMatchObject(expected);
  });

  it("with an unreachable server is unavailable", async () => {
    const { end } = await once([], { url: "http://127.0.0.1:9" });
    expect(end).toMatchObject({ how: "unavailable" });
  });

  it("gets a whole prompt of almost one megabyte, its maximum", async () => {
    const prompt = `begin ${"é word ".repeat(140_000)} end`;
    const { end, prompts } = await once([reports], { prompt });
    expect(end).toMatchObject({ how: "done", answer: { status: "OK" } });
    expect(prompts[0]).toContain(prompt);
  });

  it("reports its usage while it works, and earlier usage only once", async () => {
    using home = temporaryFolder();
    const first = await once([writes("A.txt"), runs("true"), reports], { home });
    expect(tokens(first.events)).toEqual([120, 110, 127]);
    const [{ id } = { id: "" }] = first.events.filter((event) => event.type === "conversation");
    const again = await once([reports], { home, prompt: "fix it", resume: id });
    expect(tokens(again.events)).toEqual([127]);
    expect(again.prompts[0]).toMatch(/do it[\s\S]*fix it/);
    expect(again.events).toContainEqual({ type: "conversation", id });
  });

  it("gets the project's instructions, and starts none of its servers", async () => {
    using project = temporaryFolder({ "AGENTS.md": "Indent with three spaces.\n" });
    const mark = join(project.path, "served");
    project.write(".codex/config.toml", `[mcp_servers.s]\ncommand = "touch"\nargs = ["${mark}"]\n`);
    const { prompts } = await once([writes("A.txt"), reports], { folder: project.path });
    expect(prompts[0]).toContain("`AGENTS.md` has this project's instructions");
    expect([existsSync(join(project.path, "A.txt")), existsSync(mark)]).toEqual([true, false]);
  });

  it("with an unknown conversation has failed and reports that", async () => {
    const { end } = await once([], { resume: "00000000-0000-7000-8000-000000000000" });
    expect(end).toMatchObject({ how: "failed", output: expect.stringContaining("no rollout found") });
  });
});
