import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as claude from "../../src/clients/claude/install.ts";
import * as codex from "../../src/clients/codex/install.ts";
import * as copilot from "../../src/clients/copilot/install.ts";
import * as cursor from "../../src/clients/cursor/install.ts";
import * as gemini from "../../src/clients/gemini/install.ts";
import * as opencode from "../../src/clients/opencode/install.ts";
import type { SettingsEdit } from "../../src/clients/settings/settings-edit.ts";
import { faultLine } from "../../src/workspace/config/config-fault.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const hook = { command: "lockstep guard x" };
const ours = "lockstep guard x # lockstep-guard";
const inJson = { claude, gemini, copilot, cursor };
const all = { ...inJson, codex, opencode };
const sample = (path: string) => readFileSync(new URL(`../clients-samples/${path}`, import.meta.url), "utf8");

function textOf(edit: SettingsEdit): string | null {
  if (!edit.ok) throw new Error(faultLine(edit.fault));
  return edit.text;
}
const written = (edit: SettingsEdit) => textOf(edit) ?? "";
const faultOf = (edit: SettingsEdit) => (edit.ok ? "" : faultLine(edit.fault));

/** The content without comments and trailing commas, as the clients read it. */
const readAsClient = (text: string) =>
  JSON.parse(
    text
      .replace(/^\ufeff/, "")
      .replace(/\/\/ [^\n]*|\/\*[\s\S]*?\*\//g, "")
      .replace(/,(\s*[\]}])/g, "$1"),
  ) as Record<string, unknown>;

const originals: Readonly<Record<string, string>> = {
  "an empty object": "{}",
  "an empty object with a line in it": "{\n}\n",
  "one line": '{"a":1,"b":[1,2]}',
  "two blanks": '{\n  "a": 1,\n  "b": { "c": [1] }\n}\n',
  "four blanks": '{\n    "a": 1\n}',
  tabs: '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n',
  "Windows' line ends": '{\r\n  "a": 1\r\n}\r\n',
  "a byte order mark": '\ufeff{\n  "a": 1\n}\n',
  comments: '// mine\n{\n  "a": 1, // one, two\n  /* {"hooks": 1} */\n  "b": 2 // last\n  // the end\n}\n',
  "a trailing comma": '{\n  "a": 1,\n}\n',
  "empty hooks": '{"version": 1, "hooks": {}}\n',
  "empty hooks on two lines": '{\n  "version": 1,\n  "hooks": {\n  }\n}\n',
  "an empty list":
    '{\n  "version": 1,\n  "hooks": { "PreToolUse": [], "preToolUse": [\n  ], "BeforeTool": [] }\n}\n',
  "hooks of other programs":
    '{\n  "hooks": {\n    "PreToolUse": [\n      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "lockstep status" }] }, // mine\n    ],\n    "preToolUse": [{ "command": "mine" }]\n  },\n  "version": 1\n}\n',
};

describe("settings in JSON", () => {
  const cases = Object.entries(inJson).flatMap(([client, functions]) =>
    Object.entries(originals).map(([kind, text]) => ({ client, kind, text, ...functions })),
  );

  it.each(cases)(
    "of $client are the same bytes again after removal: $kind",
    ({ text, install, uninstall }) => {
      const once = written(install(text, hook));
      expect(once).toContain(ours);
      expect(textOf(install(once, hook))).toBe(once);
      expect(textOf(uninstall(once))).toBe(text);
    },
  );

  it.each(cases)("of $client keep the person's settings: $kind", ({ text, install }) => {
    const { hooks: before = {}, ...rest } = readAsClient(text);
    const { hooks: after, version: _, ...kept } = readAsClient(written(install(text, hook)));
    const { version: __, ...had } = rest;
    expect(kept).toEqual(had);
    for (const [event, entries] of Object.entries(before as Record<string, unknown[]>)) {
      expect((after as Record<string, unknown[]>)[event]?.slice(0, entries.length)).toEqual(entries);
    }
  });

  it.each(Object.entries(inJson))(
    "of %s that did not exist are removed again",
    (_, { install, uninstall }) => {
      expect(textOf(uninstall(written(install(null, hook))))).toBeNull();
      expect(written(install(null, hook)).endsWith("}\n")).toBe(true);
    },
  );

  it.each(Object.entries(inJson))(
    "of %s replace an old command by the new one",
    (_, { install, uninstall }) => {
      const first = written(install('{\n  "a": 1\n}\n', { command: "old" }));
      const second = written(install(first, hook));
      expect(second).toBe(written(install('{\n  "a": 1\n}\n', hook)));
      expect(textOf(uninstall(second))).toBe('{\n  "a": 1\n}\n');
    },
  );

  it.each(Object.entries(inJson))(
    "of %s work with any document and any layout",
    (_, { install, uninstall }) => {
      const documents = fc
        .dictionary(fc.string(), fc.jsonValue())
        .filter((of) => !Object.hasOwn(of, "hooks"));
      const spaces = fc.constantFrom(undefined, 1, 2, 4, "\t");
      fc.assert(
        fc.property(documents, spaces, fc.constantFrom("", "\n"), (document, space, end) => {
          const text = JSON.stringify(document, null, space) + end;
          expect(textOf(uninstall(written(install(text, hook))))).toBe(text);
        }),
        { numRuns: 100 },
      );
    },
  );

  it("keep what people added since, and lose only Lockstep's hooks", () => {
    const mine = { type: "command", command: "mine" };
    const value = readAsClient(written(claude.install(null, hook))) as {
      hooks: Record<string, { hooks: object[] }[]>;
      model?: string;
    };
    value.hooks.PreToolUse?.[0]?.hooks.push(mine);
    value.hooks.Stop?.push({ hooks: [mine] });
    value.model = "opus";
    const left = written(claude.uninstall(JSON.stringify(value, null, 2)));
    expect(readAsClient(left)).toEqual({
      hooks: { PreToolUse: [{ matcher: "*", hooks: [mine] }], Stop: [{ hooks: [mine] }] },
      model: "opus",
    });
  });

  it.each(["claude/settings.command.json", "claude/settings.http.json", "gemini/config-settings.json"])(
    "of a real project are the same bytes again after removal: %s",
    (file) => {
      const { install, uninstall } = file.startsWith("claude") ? claude : gemini;
      expect(textOf(uninstall(written(install(sample(file), hook))))).toBe(sample(file));
    },
  );
});

describe("unreadable settings", () => {
  it.each<[string, string, string]>([
    ["a missing comma", '{\n  "a": 1\n  "b": 2\n}', "f.json:3:3: this is not JSON: expected `,` or `}`"],
    ["an open end", '{\n  "a": [1', "f.json:2:10: this is not JSON: expected `,` or `]`"],
    ["nothing", "", "f.json:1:1: this is not JSON: expected a value"],
    ["two documents", "{}\n{}", "f.json:2:1: this is not JSON: expected the end of the file"],
    ["single quotes", "{'a': 1}", "f.json:1:2: this is not JSON: expected a key in double quotes"],
    ["a list", "[]", "f.json:1:1: the file is not an object: expected an object"],
    ["hooks in a list", '{\n"hooks": []}', "f.json:2:10: `hooks` is not an object: expected an object"],
    [
      "an event that is not a list",
      '{"hooks": {\n  "Stop": {}, "stop": {}, "agentStop": {}, "AfterAgent": {}}}',
      "f.json:2:",
    ],
  ])("are reported with the line, and nothing is written: %s", (_, text, fault) => {
    for (const { install, uninstall } of Object.values(inJson)) {
      expect(faultOf(install(text, hook, "f.json"))).toContain(fault);
      if (!fault.endsWith(":2:")) expect(faultOf(uninstall(text, "f.json"))).toContain(fault);
    }
  });

  it.each<[string, string, string]>([
    ["no TOML", 'a = 1\nb = "open\n', "f.toml:2:5: this is not TOML: expected a value"],
    ["an open list", "a = [1,\n", "f.toml:2:1: this is not TOML: expected the end of the list or table"],
    ["a line without a value", "a\n", "f.toml:1:1: this is not TOML: expected a table or `key = value`"],
    ["an open header", "[a\n", "f.toml:1:1: this is not TOML"],
    [
      "hooks written out",
      "[x]\n[hooks]\nPreToolUse = []\n",
      "f.toml:3:1: `hooks.PreToolUse` is written as one value",
    ],
    ["hooks in one value", "hooks = { Stop = [] }\n", "f.toml:1:1: `hooks` is written as one value"],
    ["a table for a list", "[hooks.Stop]\n", "f.toml:1:1: `hooks.Stop` is written as one value"],
  ])("are reported with the line in TOML too: %s", (_, text, fault) => {
    expect(faultOf(codex.install(text, hook, "f.toml"))).toContain(fault);
  });

  it("are a foreign plugin with the name of Lockstep's plugin", () => {
    expect(faultOf(opencode.install("export const X = 1;\n", hook))).toContain(
      "lockstep.js:1:1: another plugin",
    );
    expect(textOf(opencode.uninstall("export const X = 1;\n"))).toBe("export const X = 1;\n");
  });
});

describe("Codex's settings", () => {
  const texts = [
    "",
    "a = 1",
    "a = 1 # one\n",
    'model = "x"\r\n[features]\r\nhooks = true\r\n',
    '# mine\n[[hooks.PreToolUse]]\nmatcher = "Bash"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = """\nmany [[lines\n"""\n',
    "[a.\"b.c\"]\nd = { e = [1, 2], f = '#' } # g\nlist = [\n  1, # one\n  '''two\n  ]''',\n]\n",
  ];

  it.each(texts)("are the same bytes again after removal, including comments: %j", (text) => {
    const once = written(codex.install(text, hook));
    expect(once.startsWith(text)).toBe(true);
    expect(textOf(codex.install(once, hook))).toBe(once);
    expect(textOf(codex.uninstall(once))).toBe(text);
    const trusted = written(codex.trust(once, [{ key: "k:0:0", hash: "sha256:1" }], "c.toml"));
    expect(textOf(codex.uninstall(written(codex.distrust(trusted, "c.toml"))))).toBe(text);
  });

  it("have a table for each event, in seconds, with the unchanged command", () => {
    const text = written(codex.install(null, { command: `sh -c 'x "\\"'` }));
    expect(text).toContain(
      '[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "sh -c \'x \\"\\\\\\"\' # lockstep-guard"\ntimeout = 10\n',
    );
    expect(text).toMatch(/\[\[hooks\.SessionEnd\.hooks\]\]\n.*\n.*\ntimeout = 3\n/);
    expect(textOf(codex.uninstall(text))).toBeNull();
  });

  it("keep lines that were added below Lockstep's lines", () => {
    const text = `${written(codex.install("a = 1", hook))}[projects.x]\ntrust_level = "trusted"\n`;
    expect(textOf(codex.uninstall(text))).toBe('a = 1\n[projects.x]\ntrust_level = "trusted"\n');
  });

  it("list the hashes of trusted hooks only once", () => {
    const hooks = [{ key: "/repo/.codex/config.toml:pre_tool_use:0:0", hash: "sha256:1" }];
    const text = written(codex.trust("a = 1\n", hooks, "c.toml"));
    expect(text).toContain(
      '[hooks.state."/repo/.codex/config.toml:pre_tool_use:0:0"]\ntrusted_hash = "sha256:1"\n',
    );
    expect(textOf(codex.trust(text, hooks, "c.toml"))).toBe(text);
    const already = '[hooks.state."/repo/.codex/config.toml:pre_tool_use:0:0"]\ntrusted_hash = "sha256:1"\n';
    expect(textOf(codex.trust(already, hooks, "c.toml"))).toBe(already);
    expect(faultOf(codex.trust(already.replace(":1", ":2"), hooks, "c.toml"))).toContain(
      "trusts another form",
    );
  });
});

describe("the settings of each client", () => {
  it("use seconds for Claude, match every tool and include failed calls", () => {
    const { hooks } = readAsClient(written(claude.install(null, hook)));
    const handler = { type: "command", command: ours, timeout: 10 };
    expect(hooks).toMatchObject({
      PreToolUse: [{ matcher: "*", hooks: [handler] }],
      PostToolUse: [{ matcher: "*", hooks: [handler] }],
      PostToolUseFailure: [{ matcher: "*", hooks: [handler] }],
      ConfigChange: [{ hooks: [handler] }],
    });
  });

  it("use commands for Claude if HTTP would be skipped or could not block", () => {
    const http = {
      type: "http",
      url: "http://127.0.0.1:40000/guard/claude",
      timeout: 10,
      onFailure: "block",
    };
    const text = written(claude.install('{"a": 1}', { ...hook, http }));
    expect(readAsClient(text).hooks).toMatchObject({
      PreToolUse: [{ matcher: "*", hooks: [http] }],
      SessionStart: [{ hooks: [{ type: "command" }] }],
      Stop: [{ hooks: [{ type: "command" }] }],
    });
    expect(textOf(claude.uninstall(text))).toBe('{"a": 1}');
  });

  it("use milliseconds for Gemini", () => {
    expect(written(gemini.install(null, hook))).toContain('"timeout": 10000');
  });

  it("have no matcher for Copilot, but a version", () => {
    const text = written(copilot.install(null, hook));
    expect(text).not.toContain("matcher");
    expect(readAsClient(text)).toMatchObject({
      version: 1,
      hooks: { preToolUse: [{ type: "command", bash: ours, timeoutSec: 10 }] },
    });
  });

  it("make the hooks of Cursor block calls if they fail", () => {
    const { hooks, version } = readAsClient(written(cursor.install(null, hook))) as {
      hooks: object;
      version: number;
    };
    expect(version).toBe(1);
    expect(hooks).toMatchObject({ preToolUse: [{ command: ours, failClosed: true }] });
  });

  it("are one file per client, which people commit or not", () => {
    const files = Object.entries(all).map(([client, { settingsFiles }]) => [
      client,
      ...Object.values(settingsFiles),
    ]);
    expect(files).toEqual([
      ["claude", ".claude/settings.local.json", ".claude/settings.json"],
      ["gemini", null, ".gemini/settings.json"],
      ["copilot", null, ".github/hooks/lockstep.json"],
      ["cursor", null, ".cursor/hooks.json"],
      ["codex", null, ".codex/config.toml"],
      ["opencode", null, ".opencode/plugins/lockstep.js"],
    ]);
  });
});

describe("OpenCode's plugin", () => {
  interface Hooks {
    "tool.execute.before"(input: object, output: object): Promise<void>;
    "tool.execute.after"(input: object, output: { output?: string; content?: object[] }): Promise<void>;
    event(of: object): Promise<void>;
    "experimental.chat.system.transform"(input: object, output: { system: string[] }): Promise<void>;
  }
  const input = { tool: "write", sessionID: "s1", callID: "c1" };
  const output = { args: { filePath: "a.ts", content: "x" } };

  /** The real file, loaded as OpenCode loads it; `parent` is the parent of the session. */
  async function loaded(folder: string, command: string, parent?: string): Promise<Hooks> {
    using place = temporaryFolder();
    const file = place.write("lockstep.mjs", written(opencode.install(null, { command })));
    const client = { session: { get: async () => ({ data: { id: "s1", parentID: parent } }) } };
    const { Lockstep } = (await import(pathToFileURL(file).href)) as {
      Lockstep(given: object): Promise<Hooks>;
    };
    return Lockstep({ client, directory: folder });
  }

  it("allows a call if the command prints nothing, or allows it", async () => {
    using folder = temporaryFolder();
    for (const command of ["exit 0", `echo '{"allow":true,"reason":""}'`]) {
      const hooks = await loaded(folder.path, command);
      await expect(hooks["tool.execute.before"](input, output)).resolves.toBeUndefined();
    }
  });

  it.each<[string, string]>([
    [`echo '{"allow":false,"reason":"not yours"}'; exit 2`, "not yours"],
    ["exit 1", "gave no answer (exit 1)"],
    ["echo why >&2; exit 2", "gave no answer (exit 2): why"],
    ["echo text", "gave no answer (exit 0)"],
    ["echo null", "gave a broken answer"],
    [`echo '{"allow":true}'; exit 2`, "gave a broken answer"],
    ["kill -9 $$", "gave no answer"],
    ["no-such-program-anywhere", "gave no answer (exit 127)"],
  ])("throws if the command refuses or fails: %s", async (command, reason) => {
    using folder = temporaryFolder();
    const hooks = await loaded(folder.path, command);
    await expect(hooks["tool.execute.before"](input, output)).rejects.toThrow(reason);
  });

  it("throws after two seconds without an answer, and ends the command", async () => {
    using folder = temporaryFolder();
    const hooks = await loaded(folder.path, "echo $$ > pid; sleep 60");
    const start = performance.now();
    await expect(hooks["tool.execute.before"](input, output)).rejects.toThrow("within 2000 ms");
    expect(performance.now() - start).toBeLessThan(4000);
    const pid = readFileSync(`${folder.path}/pid`, "utf8").trim();
    await expect.poll(() => spawnSync("kill", ["-0", pid]).status).not.toBe(0);
  });

  it("passes on the call and the parent of its session", async () => {
    using folder = temporaryFolder();
    const hooks = await loaded(folder.path, "cat > seen.json", "s0");
    await hooks["tool.execute.before"](input, output);
    expect(JSON.parse(readFileSync(`${folder.path}/seen.json`, "utf8"))).toEqual({
      event: "tool.execute.before",
      directory: folder.path,
      parentID: "s0",
      input,
      output,
    });
  });

  it("reports to the agent after a call, beside the result, even if the hook failed", async () => {
    using folder = temporaryFolder();
    const result = { output: "done" };
    const hooks = await loaded(folder.path, `echo '{"allow":false,"reason":"undone: b.ts"}'; exit 2`);
    await hooks["tool.execute.after"](input, result);
    expect(result.output).toBe("done\n\nundone: b.ts");
    const broken = await loaded(folder.path, "exit 1");
    await broken["tool.execute.after"](input, result);
    expect(result.output).toContain("gave no answer (exit 1)");
  });

  it("gives a new session its context", async () => {
    using folder = temporaryFolder();
    const hooks = await loaded(folder.path, `echo '{"allow":true,"reason":"","context":"you are T-1"}'`);
    const info = { id: "s1", directory: folder.path };
    await hooks.event({ event: { type: "session.created", properties: { sessionID: "s1", info } } });
    const system: string[] = [];
    await hooks["experimental.chat.system.transform"]({ sessionID: "s1" }, { system });
    expect(system).toEqual(["you are T-1"]);
  });
});
