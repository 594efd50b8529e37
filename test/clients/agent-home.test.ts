import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { claudeHome } from "../../src/clients/claude/home.ts";
import { codexHome } from "../../src/clients/codex/home.ts";
import { copilotHome } from "../../src/clients/copilot/home.ts";
import { geminiHome } from "../../src/clients/gemini/home.ts";
import { opencodeHome } from "../../src/clients/opencode/home.ts";
import { AgentHome } from "../../src/workspace/client-home/agent-home.ts";
import type { ClientHome } from "../../src/workspace/client-home/client-home.ts";
import { refreshedLogin } from "../../src/workspace/client-home/refreshed-login.ts";
import { agentPolicy } from "../../src/workspace/sandbox/agent-policy.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const login = (access: string, more: object = {}) =>
  JSON.stringify({ claudeAiOauth: { accessToken: access, refreshToken: "r", expiresAt: 1, ...more } });

/** A person's home of a client and the homes of its agents. */
function homes(make: (person: string) => ClientHome, files: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const person = join(folder.path, "person");
  mkdirSync(person);
  for (const [name, text] of Object.entries(files)) folder.write(join("person", name), text);
  const home = make(person);
  const root = home.folders[0]?.path ?? "";
  const agent = (slot: string) => {
    const one = new AgentHome(join(folder.path, slot), home);
    const path = (name: string) => join(one.outside(root), name);
    return {
      home: one,
      path,
      write: (name: string, text: string) => {
        mkdirSync(dirname(path(name)), { recursive: true });
        writeFileSync(path(name), text);
      },
      read: (name: string) => readFileSync(path(name), "utf8"),
    };
  };
  const read = (name: string) => readFileSync(join(root, name), "utf8");
  return { ...folder, root, agent, read };
}
const claude = (files: Readonly<Record<string, string>> = {}) => homes(claudeHome, files);
const credentials = ".credentials.json";

describe("a login of two agents", () => {
  it("is refreshed by one of them and copied to the person and to the other one", () => {
    using place = claude({ [credentials]: login("1") });
    const [one, two] = [place.agent("1"), place.agent("2")];
    for (const { home } of [one, two]) home.prepare();
    one.write(credentials, login("2"));
    one.home.exchangeLogins();
    expect(place.read(credentials)).toBe(login("2"));
    two.home.exchangeLogins();
    expect(two.read(credentials)).toBe(login("2"));
  });

  it("is not overwritten by an older one", () => {
    using place = claude({ [credentials]: login("1") });
    const [one, two] = [place.agent("1"), place.agent("2")];
    for (const { home } of [one, two]) home.prepare();
    one.write(credentials, login("newer"));
    two.write(credentials, login("older"));
    one.home.exchangeLogins();
    two.home.exchangeLogins();
    expect(place.read(credentials)).toBe(login("newer"));
    expect(two.read(credentials)).toBe(login("newer"));
  });

  it("that was refreshed before a crash is copied back at the next start", () => {
    using place = claude({ [credentials]: login("1") });
    place.agent("1").home.prepare();
    place.agent("1").write(credentials, login("2"));
    place.agent("1").home.prepare();
    expect(place.read(credentials)).toBe(login("2"));
  });

  it("that the person removed is not restored", () => {
    using place = claude({ [credentials]: login("1") });
    const one = place.agent("1");
    one.home.prepare();
    rmSync(join(place.root, credentials));
    one.write(credentials, login("2"));
    one.home.exchangeLogins();
    expect(existsSync(join(place.root, credentials))).toBe(false);
  });

  it("remains a link if it is one in the person's home", () => {
    using place = claude();
    const target = place.write("vault/login", login("1"));
    symlinkSync(target, join(place.root, credentials));
    const one = place.agent("1");
    one.home.prepare();
    one.write(credentials, login("2"));
    one.home.exchangeLogins();
    expect(lstatSync(join(place.root, credentials)).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, "utf8")).toBe(login("2"));
  });

  type Agent = ReturnType<ReturnType<typeof claude>["agent"]>;
  it.each<[string, (agent: Agent, elsewhere: string) => void]>([
    ["a link", ({ path }, elsewhere) => symlinkSync(elsewhere, path(credentials))],
    ["a hard link", ({ path }, elsewhere) => linkSync(elsewhere, path(credentials))],
    ["a folder", ({ path }) => mkdirSync(path(credentials))],
    ["half a document", ({ write }) => write(credentials, login("2").slice(0, 30))],
    ["a list", ({ write }) => write(credentials, "[]")],
    ["too much", ({ write }) => write(credentials, login("2") + " ".repeat(2_000_000))],
  ])("is not taken from %s, and the agent gets the person's next login", (_, plant) => {
    using place = claude({ [credentials]: login("1") });
    const elsewhere = place.write("elsewhere", login("planted"));
    const one = place.agent("1");
    one.home.prepare();
    rmSync(one.path(credentials));
    plant(one, elsewhere);
    one.home.exchangeLogins();
    expect(place.read(credentials)).toBe(login("1"));
    writeFileSync(join(place.root, credentials), login("3"));
    one.home.exchangeLogins();
    expect(readFileSync(elsewhere, "utf8")).toBe(login("planted"));
    one.home.prepare();
    expect(one.read(credentials)).toBe(login("3"));
    expect(lstatSync(one.path(credentials)).isFile()).toBe(true);
  });
});

describe("the changes of a refresh", () => {
  const values = [
    ["*", "access"],
    ["*", "expires"],
  ];
  const refreshed = (person: unknown, agent: unknown) => {
    const text = refreshedLogin(JSON.stringify(person), JSON.stringify(agent), values);
    return text === undefined ? undefined : JSON.parse(text);
  };

  it("are tokens and times that the person's login has already", () => {
    const person = {
      a: { type: "oauth", access: "1", expires: 1, url: "https://a" },
      b: { type: "api", key: "k" },
    };
    const agent = {
      a: { type: "oauth", access: "2", expires: 2, url: "https://evil" },
      b: { type: "api", key: "evil", access: "evil" },
      "https://evil": { type: "wellknown", key: "x", token: "x", access: "x" },
    };
    expect(refreshed(person, agent)).toEqual({ ...person, a: { ...person.a, access: "2", expires: 2 } });
  });

  it.each([
    ["another type", { access: 2 }],
    ["an object", { access: { toString: "x" } }],
    ["a line break", { access: "2\r\nHost: evil" }],
    ["nothing", { access: "" }],
    ["a very long text", { access: "x".repeat(20_000) }],
    ["the same value", { access: "1" }],
  ])("do not include %s", (_, agent) => {
    expect(refreshed({ a: { access: "1" } }, { a: agent })).toBeUndefined();
  });

  it("keep the form of the file", () => {
    const text = `${JSON.stringify({ a: { access: "1" } }, undefined, 2)}\n`;
    expect(refreshedLogin(text, '{"a":{"access":"2"}}', values)).toBe(text.replace('"1"', '"2"'));
  });
});

const checkout = "/state/attempts/A/tree";
const id = "0a1b2c3d-0000-4000-8000-000000000000";
const name = { id, checkout };
const kinds = {
  claude: {
    make: claudeHome,
    record: `projects/-state-attempts-A-tree/${id}.jsonl`,
    first: { sessionId: id },
    others: [`projects/-other/${id}.jsonl`, "projects/-state-attempts-A-tree/memory/MEMORY.md"],
  },
  codex: {
    make: codexHome,
    record: `sessions/2026/11/16/rollout-2026-11-16T08-00-00-${id}.jsonl`,
    first: { type: "session_meta", payload: { id, cwd: checkout } },
    others: ["memories/x.md", "sessions/2026/11/16/rollout-x-other.jsonl"],
  },
  gemini: {
    make: (person: string) => geminiHome(dirname(person)),
    record: "tmp/tree/chats/session-2026-11-16T08-00-0a1b2c3d.jsonl",
    first: { sessionId: id },
    others: ["tmp/tree/memory/MEMORY.md", "tmp/bin/rg"],
  },
  copilot: {
    make: copilotHome,
    record: `session-state/${id}/events.jsonl`,
    first: { type: "session.start", data: { sessionId: id, context: { cwd: checkout } } },
    others: [`session-state/${id}/plan.md`, "session-state/other/events.jsonl"],
  },
};
const listed = Object.entries(kinds).map(([client, kind]) => ({ client, ...kind }));
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));

/** An agent's conversation with a client, and files that the agent planted next to it. */
function heldWith({ client, make, record, others }: Held, text: string) {
  const place = homes(make);
  mkdirSync(place.root, { recursive: true });
  const one = place.agent("1");
  one.home.prepare();
  one.write(record, text);
  for (const path of others) one.write(path, "planted\n");
  if (client === "gemini") one.write("tmp/tree/.project_root", checkout);
  const given = () => filesIn(place.root).filter((path) => path.endsWith(".jsonl"));
  return { ...place, one, given };
}
type Held = (typeof listed)[number];

describe.each(listed)("a conversation of $client", (kind) => {
  const { client, record, first } = kind;
  const begun = `${JSON.stringify(first)}\n`;
  const isGemini = client === "gemini";
  const held = () => heldWith(kind, begun);

  it("is copied to the person without other files, and only once", () => {
    using place = held();
    expect(place.one.home.giveBack(name)).toBeUndefined();
    const [path = "", ...more] = place.given();
    expect(more).toEqual([]);
    expect(place.read(path)).toBe(begun);
    expect(filesIn(place.root)).toHaveLength(isGemini ? 2 : 1);
    writeFileSync(place.one.path(record), `${begun}{}\n`);
    expect(place.one.home.giveBack(name)).toBeUndefined();
    expect(place.given()).toEqual([path]);
    expect(place.read(path)).toBe(`${begun}{}\n`);
  });

  it("is not overwritten if the person continued it, and the agent then gets the person's version", () => {
    using place = held();
    place.one.home.giveBack(name);
    const [path = ""] = place.given();
    writeFileSync(join(place.root, path), `${begun}{"by":"person"}\n`);
    expect(place.one.home.giveBack(name)).toBeUndefined();
    expect(place.read(path)).toBe(`${begun}{"by":"person"}\n`);
    place.one.home.prepare(name);
    expect(place.one.read(record)).toBe(`${begun}{"by":"person"}\n`);
  });

  it("of a person can be resumed by an agent", () => {
    using place = held();
    place.one.home.giveBack(name);
    const two = place.agent("2");
    two.home.prepare(name);
    expect(two.home.giveBack(name)).toBeUndefined();
    two.home.prepare();
    expect(filesIn(two.path("")).filter((path) => path.endsWith(".jsonl"))).toHaveLength(1);
  });

  it("of an agent without a sandbox is already in the person's home", () => {
    using place = held();
    place.one.home.giveBack(name);
    rmSync(place.one.path(record));
    expect(place.one.home.giveBack(name)).toBeUndefined();
    expect(place.given()).toHaveLength(1);
    for (const path of place.given()) rmSync(join(place.root, path));
    expect(place.one.home.giveBack(name)).toMatch(/no record/);
  });

  it("is not copied from a link", () => {
    using place = held();
    const elsewhere = place.write(join("elsewhere", basename(record)), begun);
    rmSync(place.one.path(record));
    symlinkSync(elsewhere, place.one.path(record));
    expect(place.one.home.giveBack(name)).toMatch(/not a regular file/);
    rmSync(dirname(place.one.path(record)), { recursive: true });
    symlinkSync(dirname(elsewhere), dirname(place.one.path(record)));
    expect(place.one.home.giveBack(name)).toMatch(/not a regular file/);
    expect(place.given()).toEqual([]);
  });

  it("is not resumed through a link that an agent made", () => {
    using place = held();
    const elsewhere = place.write("elsewhere/mine", "mine\n");
    place.one.home.giveBack(name);
    const folder = dirname(place.one.path(record));
    rmSync(folder, { recursive: true });
    symlinkSync(dirname(elsewhere), folder);
    place.one.home.prepare(name);
    expect(filesIn(dirname(elsewhere))).toEqual(["mine"]);
    expect(lstatSync(folder).isDirectory()).toBe(true);
    expect(place.one.read(record)).toBe(begun);
  });

  it.each(["../../x", "a/b", "*", ""])("cannot have the id `%s`", (wrong) => {
    using place = held();
    expect(place.one.home.giveBack({ id: wrong, checkout })).toMatch(/not a valid file name/);
  });
});

// Claude lists conversations by their folder alone.
it.each(listed.filter(({ client }) => client !== "claude"))(
  "another conversation in the record of a conversation of $client is not copied back",
  (kind) => {
    const other = JSON.stringify(kind.first).replaceAll(id, "other").replaceAll(checkout, "/home/me/work");
    using place = heldWith(kind, `${other}\n`);
    expect(place.one.home.giveBack(name)).toMatch(/belongs to another conversation/);
    expect(place.given()).toEqual([]);
  },
);

describe("the files that an agent left in its home", () => {
  it("are deleted at the next start, except its conversations", () => {
    using place = claude({ "CLAUDE.md": "mine\n", "skills/x/SKILL.md": "mine\n" });
    const one = place.agent("1");
    one.home.prepare();
    one.write("rules/x.md", "planted\n");
    one.write("projects/p/x.jsonl", "kept\n");
    symlinkSync(place.root, one.path("skills"));
    symlinkSync("nowhere", one.path("CLAUDE.md"));
    one.home.prepare();
    expect(filesIn(one.path(""))).toEqual(["projects/p/x.jsonl"]);
    expect(place.read("skills/x/SKILL.md")).toBe("mine\n");
    rmSync(one.path("projects"), { recursive: true });
    symlinkSync(place.root, one.path("projects"));
    one.home.prepare();
    expect(filesIn(one.path(""))).toEqual([]);
  });

  it("are deleted where the person's files are shown", () => {
    using place = homes(kinds.gemini.make);
    const one = place.agent("1");
    one.home.prepare();
    mkdirSync(one.path("tmp"), { recursive: true });
    symlinkSync("/usr/bin", one.path("tmp/bin"));
    one.home.prepare();
    expect(readdirSync(one.path("tmp"))).toEqual([]);
  });
});

it("an agent gets its own folder of a client even if the configuration opens the person's folder to all tools", () => {
  using place = temporaryFolder({
    "home/.claude/CLAUDE.md": "",
    "home/.other/x": "",
    "main/.git/config": "",
  });
  vi.stubEnv("HOME", join(place.path, "home"));
  const path = (name: string) => join(place.path, name);
  const placed = [{ at: path("home/.claude"), from: path("main"), shown: [] }];
  const policy = agentPolicy({
    ...{
      root: path("main"),
      commonFolder: path("main/.git"),
      checkout: path("main"),
      temporary: path("main"),
    },
    ...{ home: [".claude", ".other"], client: { placed, shows: [] }, readOnly: [] },
  });
  vi.unstubAllEnvs();
  expect(policy.home.writable).toEqual([path("home/.other")]);
  expect(policy.placed).toEqual(placed);
});

describe("a printed conversation of opencode", () => {
  const { conversation } = opencodeHome({});
  const info = { id: "ses_1", directory: checkout, title: "t" };
  const message = { info: { id: "m", sessionID: "ses_1" }, parts: [{ sessionID: "ses_1", messageID: "m" }] };
  const cleaned = (document: unknown) =>
    "cleaned" in conversation ? conversation.cleaned(document, { id: "ses_1", checkout }) : undefined;

  it("loses its permissions", () => {
    const granted = { ...info, permission: [{ permission: "*", action: "allow" }], share: { url: "x" } };
    expect(cleaned({ info: granted, messages: [message] })).toEqual({ info, messages: [message] });
  });

  it.each([
    ["session", { info: { ...info, id: "ses_2" }, messages: [] }],
    ["project", { info: { ...info, directory: "/home/me/work" }, messages: [] }],
    ["session's message", { info, messages: [{ ...message, info: { id: "m", sessionID: "ses_2" } }] }],
    ["session's part", { info, messages: [{ ...message, parts: [{ sessionID: "ses_2", messageID: "m" }] }] }],
    ["kind", { info, messages: {} }],
  ])("of another %s is refused", (_, document) => {
    expect(cleaned(document)).toBeUndefined();
  });
});
