import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configSchema } from "../../src/contract/config.ts";
import { analyzeCommand } from "../../src/core/shell/analyze.ts";
import type { Row } from "../../src/core/shell/programs/row/row.ts";
import { taughtPrograms } from "../../src/core/shell/programs/row/taught.ts";
import { heldGuard } from "../support/held-guard.ts";
import { configOf, linesOf, ownConfig } from "../support/loaded-config.ts";
import { temporaryRepository } from "../support/run-command.ts";

const generator = `guard:
  programs:
    - names: gen-client gc
      values: c,config
      folders: o,out
      writes: operands
      when: w,write
      match: ["gen-client -c x.yml -o api -> api", "gc --write a -> a"]
      no_match: ["gen-client -c x.yml a"]
`;

const written = (command: string, ...rows: readonly Row[]) => {
  const { writes, opaque } = analyzeCommand(command, {
    cwd: "/repo",
    root: "/repo",
    programs: taughtPrograms(rows),
  });
  const paths = writes.map(({ target }) =>
    target.map((piece) => ("text" in piece ? piece.text : "?")).join(""),
  );
  return [...paths, ...(opaque.length > 0 ? ["opaque"] : [])].join(" ");
};

describe("guard.programs", () => {
  it("is read with its examples", async () => {
    const { guard } = await configOf({ [ownConfig]: generator });
    expect(guard.programs.map(({ names }) => names)).toEqual(["gen-client gc"]);
    expect(JSON.parse(JSON.stringify(guard.programs))).toEqual(guard.programs);
  });

  it.each([
    [
      "an example that finds nothing",
      generator.replace("when: w,write", "when: x,y"),
      [
        "8:52: the row finds `nothing` in `gc --write a -> a`: expected to write a: correct the row or the example",
      ],
    ],
    [
      "an example that finds something",
      generator.replace("      when: w,write\n", "      flags: w,write\n"),
      ["9:18: the row finds `writes a` in `gen-client -c x.yml a`: expected to find nothing"],
    ],
    [
      "an example of another program",
      generator.replace("gen-client -c x.yml a", "ls a"),
      ["9:18: the row finds `another program` in `ls a`: expected a command that runs `gen-client gc`"],
    ],
    [
      "an unknown key",
      generator.replace("folders:", "folder:"),
      ["5:7: `guard.programs[0].folder` is not a known key: did you mean `folders`?"],
    ],
    [
      "a name with a folder",
      generator.replace("gen-client gc", "tools/gen"),
      [
        "3:14: `guard.programs[0].names` is `tools/gen`: expected names of the program, separated by spaces, without folders",
      ],
    ],
    [
      "an option with a dash's worth of commas",
      generator.replace("c,config", "c,,config"),
      [
        "4:15: `guard.programs[0].values` is `c,,config`: expected options without their dashes, such as `o,output q`: names of one option joined by commas",
      ],
    ],
    [
      "an unknown key of a subcommand",
      "guard:\n  programs:\n    - names: x\n      commands:\n        fmt: { write: last }\n",
      ["5:16: `guard.programs[0].commands.fmt.write` is not a known key: did you mean `writes`?"],
    ],
  ])("refuses %s", async (_, text, lines) => {
    const found = await linesOf(text);
    expect(found).toHaveLength(lines.length);
    for (const [index, line] of lines.entries()) expect(found[index]).toContain(line);
  });

  it("accepts every field of a row, at any depth", () => {
    const row = { names: "x", commands: { a: { commands: { b: { cases: [{ when: "n", alone: {} }] } } } } };
    expect(configSchema.parse({ guard: { programs: [row] } }).guard.programs).toEqual([row]);
  });
});

describe("A taught program", () => {
  const row: Row = { names: "gen", writes: "operands" };

  it.each([
    ["gen a b", [row], "a b"],
    ["gen.exe a", [row], "a"],
    ["other a", [row], "opaque"],
    ["gen a", [], "opaque"],
    ["npx gen a", [row], "a opaque"],
    ["./gen a", [row], "opaque"],
    ["node_modules/.bin/gen a", [row], "a opaque"],
    ["gen a", [row, { names: "gen", fixed: "b" }], "a b"],
  ] satisfies [string, Row[], string][])("%s", (command, rows, expected) => {
    expect(written(command, ...rows)).toBe(expected);
  });

  it.each([
    ["rm a", { names: "rm" }, "a"],
    ["rm a", { names: "rm", fixed: "log" }, "a log"],
    ["python3.12 x.py", { names: "python3.12" }, "opaque"],
    ["RM a", { names: "RM" }, "a opaque"],
    ["prettier --write a", { names: "prettier", harmless: "write" }, "a opaque"],
    ["bash -c 'rm a'", { names: "bash" }, "a"],
    ["env rm a", { names: "env rm" }, "a"],
    ["eval 'rm a'", { names: "eval" }, "a"],
  ] satisfies [string, Row, string][])(
    "with a built-in row is never judged more mildly: %s",
    (command, own, expected) => {
      expect(written(command, own)).toBe(expected);
    },
  );
});

describe("In a repository with guard.programs", () => {
  const config = `${generator}    - { names: rtk, runs: operands }\n`;

  it("explain --why names the row and the deciding part", async () => {
    using repository = temporaryRepository({ [ownConfig]: config });
    const why = async (command: string) => (await repository.run(["explain", command, "--why"])).stdout;
    expect(await why("gen-client -o api")).toContain(
      "`gen-client gc` (.lockstep/config.yaml:3): the value of `-o`",
    );
    expect(await why("gen-client -w a")).toContain("`gen-client gc` (.lockstep/config.yaml:3): an operand");
    expect(await why("rtk prettier --write a")).toContain("`prettier");
    expect(await why("ls > a")).toContain("the shell itself");
    expect(await why("cp a b")).toContain("`cp` (built in): decided in code");
  });

  it("explain --why --json has the same for every effect", async () => {
    using repository = temporaryRepository({ [ownConfig]: config });
    const { stdout } = await repository.run(["explain", "gc -w a; no-such-program b", "--why", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      writes: [{ target: "a", because: { row: "`gen-client gc` (.lockstep/config.yaml:3)" } }],
      opaque: [{ by: "no-such-program", because: { what: expect.any(String) } }],
      named: [{ text: "b", because: { row: expect.any(String) } }],
    });
  });

  it("explain reports what is wrong with a row, and where", async () => {
    using repository = temporaryRepository({ [ownConfig]: config.replace("when: w,write", "when: x,y") });
    expect(await repository.run(["explain", "ls"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("E-CONFIG: .lockstep/config.yaml:8:52: the row finds `nothing`"),
    });
  });

  it("the guard refuses what the row finds, and allows calls without findings", async () => {
    using guard = await heldGuard();
    const { path } = guard.repository;
    mkdirSync(join(path, ".lockstep"), { recursive: true });
    writeFileSync(join(path, ownConfig), config);
    const asked = async (command: string) => {
      const { exit, stderr } = await guard.answer("claude", {
        ...{ session_id: "s1", cwd: path, hook_event_name: "PreToolUse", tool_use_id: "t1" },
        ...{ tool_name: "Bash", tool_input: { command } },
      });
      return `${exit} ${stderr}`;
    };
    expect(await asked("gen-client -o src/b")).toMatch(/^2 .*src\/b/s);
    expect(await asked("gen-client -o src/a/api -w src/a/x")).toBe("0 ");
    expect(await asked("gen-client -c src/b/x.yml src/b/y")).toBe("0 ");
    expect(await asked("gen-other -c src/b/x.yml src/b/y")).toMatch(/^2 .*src\/b/s);
    expect(await asked("rtk rm -rf src/b")).toMatch(/^2 /);
  });
});
