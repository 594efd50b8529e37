import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMsSince } from "../../../../test/support/cpu-time.ts";
import { literal, type Text, unknownText } from "../text.ts";
import type { Input } from "../types.ts";
import { findProgram, isInterpreter, isShell } from "./programs.ts";
import { given, record, report } from "./recorder.test-support.ts";

/** One program for each separate way to read arguments or input. */
const names =
  "cp ln rm chmod dd sed awk ed vim patch apply_patch git bash fish python node deno bun perl ruby pwsh env sudo su xargs parallel find fd docker kubectl make at tmux screen npx npm uv cargo go tar zip 7z ar curl wget ssh socat prettier biome ruff gcc tsc ffmpeg convert openssl gpg sass pytest jest psql sqlite3 gh lockstep claude kill systemctl direnv nix".split(
    " ",
  );

const words: fc.Arbitrary<Text> = fc.oneof(
  fc.string().map(literal),
  fc
    .constantFrom(
      "-",
      "--",
      "-c",
      "-e",
      "-i",
      "-o",
      "run",
      "exec",
      "-C",
      ":::",
      "-exec",
      ";",
      "{}",
      "a=b",
      "--x=y",
    )
    .map(literal),
  fc.constant(unknownText),
  fc.constant<Text>([{ kind: "pipe", content: undefined }]),
  fc.constant<Text>([...literal("-o"), ...unknownText]),
);
const inputs: fc.Arbitrary<Input> = fc.oneof(
  fc.constant<Input>({ kind: "none" }),
  fc.constant<Input>({ kind: "unknown" }),
  words.map((text): Input => ({ kind: "text", text })),
);

describe("the table of programs", () => {
  it("answers for any words and any input without failing", () => {
    const calls = fc.record({
      name: fc.constantFrom(...names),
      args: fc.array(words, { maxLength: 6 }),
      input: inputs,
    });
    fc.assert(
      fc.property(calls, (call) => {
        const program = findProgram(call.name);
        expect(program).toBeDefined();
        program?.(call, record([]));
      }),
      { numRuns: 5_000 },
    );
  });

  it.each(["'", '"', "/", "\\/", "[", "s/", "a:", "\n", " ", "=", "--- a\n", "$(", "|", "w ", ";", "{}"])(
    "reads 64 KiB of %j quickly",
    (piece) => {
      const long = piece.repeat(65_536 / piece.length);
      const started = process.cpuUsage();
      for (const name of names) {
        for (const first of ["-c", "-e", "apply"]) {
          const args = [literal(first), literal(long)];
          findProgram(name)?.({ name, args, input: given(long) }, record([]));
        }
      }
      expect(cpuMsSince(started)).toBeLessThan(10_000);
    },
  );

  it.each([
    ["bash", true, false],
    ["zsh", true, false],
    ["bash.exe", true, false],
    ["python3.12", false, true],
    ["node", false, true],
    ["awk", false, true],
    ["pwsh", false, true],
    ["ls", false, false],
    ["env", false, false],
  ])("knows whether %s runs shell code or another language", (name, shell, interpreter) => {
    expect([isShell(name), isInterpreter(name)]).toEqual([shell, interpreter]);
  });

  it("reads a sed script of several lines", () => {
    expect(report("sed 'a\\\nw no\n/x/,$!{\ns/a/b/;w yes\n}' f")).toBe("write yes");
  });

  it("follows a script that a process substitution prints", () => {
    const run = (content: Text | undefined) => {
      const lines: string[] = [];
      const args: Text[] = [[{ kind: "pipe", content }], literal("a")];
      findProgram("bash")?.({ name: "bash", args, input: { kind: "none" } }, record(lines));
      return lines;
    };
    expect(run(literal("touch x"))).toEqual(["shell touch x | <pipe> | a"]);
    expect(run(undefined)).toEqual(["refuse unknown-code"]);
  });

  it("passes to xargs the paths that find prints below a folder, and no partly known paths", () => {
    const input = (text: Text): Input => ({ kind: "text", text });
    expect(report("xargs rm", input([...literal("src/a"), { kind: "below" }]))).toBe(
      "run rm src/a<below> < none",
    );
    expect(report("xargs rm", input([...literal("src/a/"), ...unknownText]))).toBe("run rm $U < none");
  });
});
