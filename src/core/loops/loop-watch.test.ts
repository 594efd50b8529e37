import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loopLimits } from "./loop-limits.ts";
import { LoopWatch, type Step } from "./loop-watch.ts";
import type { Signal } from "./signal.ts";

const limits = loopLimits({ sameError: 3, tokens: { halt: 50_000 } });
const tool = (name: string, input: unknown): Step => ({ type: "tool", name, input });
const bash = (command: string) => tool("Bash", { command });
const edit = (path: string, text: unknown) => tool("Edit", { file_path: path, new_string: text });
const gives = (text: string): Step => ({ type: "tool-result", text });
const long = (text: string) => `${text} `.repeat(60);

function signalsOf(steps: readonly Step[], of = limits): readonly Signal[] {
  const watch = new LoopWatch(of);
  return steps.flatMap((step) => watch.see(step) ?? []);
}
const summary = (steps: readonly Step[]) =>
  signalsOf(steps).map(({ signal, level, count }) => `${signal} ${level} ${count}`);
const times = (count: number, steps: (at: number) => readonly Step[]) =>
  Array.from({ length: count }, (_, at) => steps(at)).flat();

describe("the same tool with the same arguments", () => {
  it("warns the third time, and halts after ten steps with nothing new", () => {
    expect(summary(times(2, () => [bash("ls")]))).toEqual([]);
    expect(summary(times(3, () => [bash("ls")]))).toEqual(["same_call warn 3"]);
    expect(summary(times(10, () => [bash("ls")]))).toEqual(["same_call warn 3"]);
    expect(summary(times(11, () => [bash("ls")]))).toEqual(["same_call warn 3", "same_call halt 10"]);
  });

  it("is found if two or four calls alternate with the same outputs", () => {
    const inTurn = (names: readonly string[], rounds: number) =>
      times(rounds, () => names.flatMap((name) => [bash(name), gives(long(name))]));
    expect(summary(inTurn(["a", "b"], 8))).toEqual(["same_call warn 3", "same_call halt 10", ...more(4)]);
    expect(summary(inTurn(["a", "b", "c", "d"], 4))).toEqual([
      "same_call warn 3",
      "same_call halt 10",
      ...more(2),
    ]);
  });

  const more = (count: number) => Array.from({ length: count }, (_, at) => `same_call halt ${11 + at}`);

  it.each<[string, readonly Step[]]>([
    [
      "tests that are run again after each edit",
      times(8, (at) => [edit("a.ts", at), bash("npm test"), gives(long("1 test failed"))]),
    ],
    [
      "tests that are run again after commands that write",
      times(8, (at) => [bash(`sed -i ${at}d a.ts`), gives(""), bash("npm test"), gives(long("failed"))]),
    ],
    [
      "a question whose answer changes",
      times(12, (at) => [bash("kubectl get pods"), gives(`pod-${"x".repeat(at)} is starting`)]),
    ],
    ["waiting for a build", times(30, () => [tool("BashOutput", { bash_id: "1" }), gives(long("building"))])],
    ["sleeping", times(30, () => [bash("sleep 5 && tail log"), gives(long("building"))])],
    [
      "sleeping in a shell of its own",
      times(30, () => [tool("shell", { command: ["bash", "-lc", "sleep 5"] })]),
    ],
    [
      "a look at the state between different things",
      times(9, (at) => [bash("git status"), gives("clean"), bash(`node step-${at}.js`), gives("ok")]),
    ],
    [
      "edits of which the client reports only the file",
      times(14, () => [
        tool("file_change", { changes: [{ path: "a.ts", kind: "update" }] }),
        gives("completed"),
        bash("npm test"),
        gives(long("failed")),
      ]),
    ],
    [
      "searches whose query the client does not report",
      times(7, () => [tool("web_search", { query: "" }), gives("completed")]),
    ],
    [
      "many files read once",
      times(50, (at) => [tool("Read", { file_path: `${at}.ts` }), gives(long(`${at}`))]),
    ],
  ])("is not a loop in %s", (_name, steps) => {
    expect(summary(steps).filter((one) => one.startsWith("same_"))).toEqual([]);
  });

  it("is the same call with any order of arguments and any description", () => {
    const calls = [
      tool("Bash", { command: "ls", timeout: 5, description: "List files" }),
      tool("bash", { timeout: 5, command: "ls", description: "Look again" }),
      tool("Bash", { description: "And again", timeout: 5, command: "ls" }),
    ];
    expect(summary(calls)).toEqual(["same_call warn 3"]);
    expect(summary([bash("ls"), bash("ls -a"), bash("ls"), bash("ls -b")])).toEqual([]);
  });

  it("survives arguments of any form and depth", () => {
    const deep = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`);
    expect(() => signalsOf([tool("x", deep), tool("x", undefined), tool("", null)])).not.toThrow();
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.anything())), (calls) => {
        signalsOf(calls.map(([name, input]) => tool(name, input)));
      }),
    );
  });
});

describe("an output", () => {
  it("that is long and comes twice in a row warns once, ignoring times and counters", () => {
    const output = (seconds: number) => gives(long(`FAIL price.test.ts (${seconds} s)`));
    expect(summary([bash("a"), output(1), bash("b"), output(2), bash("c"), output(3)])).toEqual([
      "same_output warn 2",
    ]);
  });

  it.each<[string, Step, Step]>([
    ["is empty", gives(""), gives("")],
    [
      "is short",
      gives("The file /project/src/a.ts has been updated."),
      gives("The file /project/src/a.ts has been updated."),
    ],
    ["differs in a value", gives(long("expected 1")), gives(long("expected 2"))],
  ])("that %s is not a signal", (_name, first, second) => {
    expect(summary([bash("a"), first, bash("b"), second])).toEqual([]);
  });

  it("is not a signal with another one in between", () => {
    expect(summary([gives(long("a")), gives(long("b")), gives(long("a"))])).toEqual([]);
  });
});

describe("edits", () => {
  it("of one file warn at fifteen and halt at twenty", () => {
    const steps = times(20, (at) => [edit("a.ts", at), gives("done")]);
    expect(summary(steps.slice(0, 28))).toEqual([]);
    expect(summary(steps)).toEqual(["edits warn 15", "edits halt 20"]);
    expect(signalsOf(steps).at(-1)).toMatchObject({
      limit: 20,
      reason: expect.stringContaining("`a.ts` 20 times"),
    });
  });

  it("of many files are normal work", () => {
    expect(summary(times(200, (at) => [edit(`${at % 20}.ts`, at)]).slice(0, 14 * 20))).toEqual([]);
  });

  it.each<[string, (at: number) => Step]>([
    ["Write", (at) => tool("Write", { file_path: "a.ts", content: at })],
    ["write_file", (at) => tool("write_file", { path: "a.ts", content: at })],
    ["MultiEdit", (at) => tool("MultiEdit", { filePath: "a.ts", edits: [at] })],
    ["file_change", () => tool("file_change", { changes: [{ path: "a.ts", kind: "update" }] })],
    [
      "apply_patch",
      (at) => tool("apply_patch", { input: `*** Begin Patch\n*** Update File: a.ts\n+${at}\n` }),
    ],
    ["patch", (at) => tool("patch", { patchText: `--- a/a.ts\n+++ b/a.ts\n+${at}\n` })],
  ])("are known by the name %s", (_name, make) => {
    expect(summary(times(15, (at) => [make(at)]))).toEqual(["edits warn 15"]);
  });

  it("are not counted if an editor only views, or if no file is named", () => {
    expect(
      summary(times(30, (at) => [tool("str_replace_editor", { command: "view", path: "a", at })])),
    ).toEqual([]);
    expect(summary(times(30, (at) => [tool("edit", { at })]))).toEqual([]);
  });
});

describe("fetches", () => {
  it("warn at eight and halt at ten, searches included", () => {
    const steps = times(5, (at) => [
      tool("WebFetch", { url: `u${at}` }),
      tool("web_search", { query: `q${at}` }),
    ]);
    expect(summary(steps)).toEqual(["fetches warn 8", "fetches halt 10"]);
  });
});

describe("the numbers of edits and fetches", () => {
  it("scale with the token limit: ten times the tokens allow ten times as much, fewer tokens the default", () => {
    const of = (halt: number | null) => loopLimits({ sameError: 3, tokens: { halt } });
    expect(of(500_000)).toMatchObject({ edits: { warn: 150, halt: 200 }, fetches: { warn: 80, halt: 100 } });
    expect(of(10_000)).toMatchObject({ edits: { warn: 15, halt: 20 }, fetches: { warn: 8, halt: 10 } });
    expect(
      signalsOf(
        times(500, (at) => [edit("a.ts", at)]),
        of(null),
      ),
    ).toEqual([]);
  });
});

describe("a refused write", () => {
  const refused = (path: string) =>
    gives(
      `PreToolUse hook error: lockstep: R-PW-001: \`${path}\` lies outside the lock scope: ask with widen`,
    );

  it("to the same target halts the third time, with or without other targets in between", () => {
    const steps = [refused("a"), refused("b"), refused("a"), gives("ok"), refused("c")];
    expect(summary(steps)).toEqual([]);
    expect(summary([...steps, refused("a")])).toEqual(["refused_write halt 3"]);
  });

  it("is read in the form of a hook's answer too", () => {
    for (const why of ["it lies in `.git`", "it is protected"]) {
      const reason = `\`.git/config\` must not be written: ${why}`;
      const answer = JSON.stringify({ allow: false, code: "R-PW-002", reason });
      expect(summary([gives(answer), gives(answer), gives(answer)])).toEqual(["refused_write halt 3"]);
    }
  });

  it("is not found in a text that only mentions the code", () => {
    const text = "| R-PW-001 | a write outside the lock | see `docs/rules.md` |";
    expect(summary([gives(text), gives(text), gives(text), gives(text)])).toEqual([]);
  });
});

describe("an honest attempt of any kind", () => {
  it("that always does something new never gets a warning about repetition", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 60 }), (words) => {
        const steps = words.flatMap((word) => [bash(`run ${word}`), gives(long(word))]);
        expect(summary(steps).filter((one) => one.includes("call"))).toEqual([]);
      }),
    );
  });
});
