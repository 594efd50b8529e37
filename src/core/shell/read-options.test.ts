import { describe, expect, it } from "vitest";
import { spell, words } from "./programs/recorder.test-support.ts";
import { type OptionSpec, optionReader } from "./read-options.ts";

const gnu: OptionSpec = {
  values: "o,output t,target-directory",
  glued: "i,in-place",
  digits: "l",
  flags: "v,verbose version",
};

/** Options as `key=value`, then the operands. */
function read(spec: OptionSpec, line: string): string {
  const { options, operands } = optionReader(spec)(words(line));
  const shown = options.map(({ name, value }) => (value === undefined ? name : `${name}=${spell(value)}`));
  return [...shown, "|", ...operands.map(spell)].join(" ").trim();
}

describe("GNU options", () => {
  it.each([
    ["-o f x", "o=f | x"],
    ["-of x", "o=f | x"],
    ["-vof x", "v o=f | x"],
    ["x -vo f", "v o=f | x"],
    ["--output=f x", "o=f | x"],
    ["--output f x", "o=f | x"],
    ["--out f x", "o=f | x"],
    ["--target-dir=d x", "t=d | x"],
    ["--output= x", "o= | x"],
    ["-i f", "i | f"],
    ["-i.bak f", "i=.bak | f"],
    ["--in-place=.bak f", "i=.bak | f"],
    ["-l12v f", "l v | f"],
    ["-xyz f", "x y z | f"],
    ["--unknown=1 f", "unknown=1 | f"],
    ["--unknown f", "unknown | f"],
    ["-v -- -o f", "v | -o f"],
    ["- x", "| - x"],
    ["-o", "o |"],
    ["$U x", "| $U x"],
    ["-o$U x", "o=$U | x"],
    ["--output=$U x", "o=$U | x"],
    ["-o - x", "o=- | x"],
    ["--o f x", "o=f | x"],
    ["--ver x", "ver | x"],
  ])("%s", (line, expected) => {
    expect(read(gnu, line)).toBe(expected);
  });
});

describe("options as git reads them", () => {
  const git: OptionSpec = {
    values: "s,source",
    flags: "n,dry-run S,staged",
    all: "source= dry-run staged quiet no-verify exclude=! progress",
  };
  it.each([
    ["the whole name before a beginning", "--sta --no-verify", "S no-verify |"],
    ["a beginning", "--dry x", "n | x"],
    ["one that an earlier option is taken back by", "-n --no-dry-run x", "| x"],
    ["the same in short", "--dry-run --no-d x", "| x"],
    ["one that is set after it was revoked", "--no-dry-run -n x", "n | x"],
    ["only a revoked one", "-n -S --no-staged x", "n | x"],
    ["a value that is taken back", "-s HEAD --no-source x", "| x"],
    ["an option whose name begins with no", "--no-verify x", "no-verify | x"],
    ["one that takes that back", "--no-verify --verify x", "| x"],
    ["the same by a second no", "--no-verify --no-no-verify x", "| x"],
    ["an option that cannot be taken back", "--exclude a --no-exclude x", "exclude=a no-exclude | x"],
    ["a value after an abbreviation", "--exc a --sou=b x", "exclude=a s=b | x"],
    ["a letter that is not a long name", "--n x", "--n | x"],
    ["the end of all options", "--end-of-options -n x", "| -n x"],
    ["the end of all options before paths", "-n --end-of-options -S -- x", "n | -S x"],
  ])("read %s", (_, line, expected) => {
    expect(read(git, line)).toBe(expected);
  });

  it("report abbreviations of several options", () => {
    const unclear = (line: string) => optionReader(git)(words(line)).unclear;
    expect(unclear("--n --no --dry --source=x --nothing --s")).toEqual(["--n", "--no", "--s"]);
  });
});

describe("other styles", () => {
  const long: OptionSpec = { style: "long", values: "out", flags: "nodes" };
  const compiler: OptionSpec = { style: "first-letter", values: "o MF", flags: "c" };
  it.each([
    ["a single dash before a whole name", long, "-out f -nodes x", "out=f nodes | x"],
    ["an equals sign after it", long, "-out=f --out g x", "out=f out=g | x"],
    ["a compiler's letter with its value", compiler, "-of -c x.c", "o=f c | x.c"],
    ["a compiler's long names", compiler, "-fno-omit -std=c99 -MF d x.c", "fno-omit std=c99 MF=d | x.c"],
    ["a wrapper's end at the first operand", { ...gnu, wrapper: true }, "-v cmd -o f", "v | cmd -o f"],
    ["an option that ends all others", { ends: "c" }, "-c code -x y", "c=code | -x y"],
  ])("read %s", (_, spec, line, expected) => {
    expect(read(spec, line)).toBe(expected);
  });
});
