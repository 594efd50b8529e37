import { describe, expect, it } from "vitest";
import type { Row } from "./row.ts";
import { brokenExamples } from "./row-examples.ts";

const rows: readonly (Row & { readonly title: string })[] = [
  {
    title: "options whose value is written",
    ...{
      names: "x",
      values: "c",
      files: "o,output",
      folders: "d",
      match: ["x -c a -o b --output=c -d e -> b c e"],
    },
    no_match: ["x -c a f", "x -o -"],
  },
  { title: "operands", names: "x y", writes: "operands", match: ["x a b -> a b", "y a -> a", "x - a -> a"] },
  { title: "the first operand", names: "x", writes: "first", match: ["x a b -> a"], no_match: ["x"] },
  { title: "the second operand", names: "x", writes: "second", match: ["x a b c -> b"], no_match: ["x a"] },
  { title: "the last operand", names: "x", writes: "last", match: ["x a b c -> c"] },
  { title: "all but the first", names: "x", writes: "after-first", match: ["x a b c -> b c"] },
  { title: "all but two", names: "x", writes: "after-second", match: ["x a b c -> c"] },
  {
    title: "the default without operands",
    ...{ names: "x", writes: "operands", otherwise: "src", match: ["x -> src", "x a -> a"] },
  },
  {
    title: "an option by any of its names",
    ...{ names: "x", flags: "w,write", writes: "operands", when: "write" },
    ...{ match: ["x -w a -> a", "x --write a -> a"], no_match: ["x a"] },
  },
  {
    title: "an option with which it writes nothing",
    ...{ names: "x", writes: "operands", unless: "n,dry-run", match: ["x a -> a"], no_match: ["x -n a"] },
  },
  {
    title: "harmless options, whose file values are still written",
    ...{ names: "x", files: "o", writes: "operands", opaque: "it builds", harmless: "l,list" },
    ...{ match: ["x a -> a", "x -l a -o b -> b"], no_match: ["x --list a", "x --help"] },
  },
  {
    title: "fixed paths",
    ...{ names: "x", fixed: "a.json b-*", unless: "n", match: ["x -> a.json b-*"], no_match: ["x -n"] },
  },
  {
    title: "a part of a name, which may lead elsewhere",
    ...{ names: "x", parts: "S,suffix", writes: "operands", match: ["x -S ../b a -> ? a", "x -S .b a -> a"] },
  },
  {
    title: "additional effects",
    ...{
      names: "x",
      files: "o",
      besides: [
        { when: "l", files: "p" },
        { unless: "q", fixed: "f" },
      ],
    },
    ...{ match: ["x -o a -p b -> a f", "x -l -o a -p b -> a b f"], no_match: ["x -q", "x -q -p b"] },
  },
  {
    title: "additional effects of a subcommand",
    ...{ names: "x", besides: [{ when: "l", fixed: "f" }], commands: { c: { writes: "operands" } } },
    ...{ match: ["x -l c a -> f a", "x c -l a -> f a", "x c a -> a"], no_match: ["x"] },
  },
  {
    title: "files besides the operands",
    names: "x",
    writes: "operands",
    suffix: ".a .b",
    match: ["x f -> f.a f.b"],
  },
  { title: "a command", names: "x", values: "n", runs: "operands", match: ["x -n 1 touch -t 1 a -> a"] },
  { title: "a command after a word", names: "x", runs: "operands", skip: 1, match: ["x 5 touch a -> a"] },
  {
    title: "a command after dashes",
    ...{ names: "x", runs: "after-dashes", skip: 1, match: ["x p -e 1 -- touch a -> a", "x p touch b -> b"] },
  },
  {
    title: "a command with variables",
    names: "x",
    runs: "operands",
    assignments: true,
    match: ["x A=1 touch a -> a"],
  },
  {
    title: "a line for a shell",
    names: "x",
    runs: "line",
    match: ["x 'touch a;' touch b -> a b"],
    no_match: ["x"],
  },
  { title: "each operand as a line", names: "x", runs: "each", match: ["x 'touch a' 'touch b' -> a b"] },
  { title: "a package's program", names: "x", runs: "package", match: ["x prettier@3 --write a -> a"] },
  { title: "operands of another program", names: "x", runs: "operands", as: "touch", match: ["x a -> a"] },
  {
    title: "a line or a shell",
    names: "x",
    runs: "shell",
    match: ["x touch a -> a", "echo touch b | x -> b"],
  },
  { title: "an option's line", names: "x", shell: "c", match: ["x -c 'touch a' -> a"] },
  { title: "an option's program", names: "x", programs: "p", match: ["x -p codex"], no_match: ["x -p ls"] },
  { title: "code of another language", names: "x", code: "e", match: ["x -e 'print 1'"], no_match: ["x"] },
  {
    title: "an interpreter",
    names: "x",
    code: "e",
    runs: "script",
    match: ["x a.x", "x -e 1", "x"],
    no_match: ["x --version"],
  },
  { title: "standard input", names: "x", input: "shell", match: ["echo touch a | x -> a"], no_match: ["x"] },
  { title: "a folder", names: "x", in: "C", files: "o", match: ["x -C sub -o a -> sub/a"] },
  {
    title: "a refusal",
    names: "x",
    refuses: { kind: "loader", why: "it loads" },
    match: ["x"],
    no_match: ["x --help"],
  },
  {
    title: "cases",
    ...{ names: "x", writes: "last", cases: [{ when: "d", writes: "operands" }, { when: "n" }] },
    ...{ match: ["x a b -> b", "x -d a b -> a b", "x -n -d a b -> a b"], no_match: ["x -n a b"] },
  },
  {
    title: "subcommands with options of the program, below others",
    names: "x",
    values: "c",
    files: "log",
    opaque: "its effects are not known",
    commands: {
      "fmt f": { writes: "operands", otherwise: "." },
      show: {},
      sub: { commands: { deep: { writes: "first" } } },
    },
    match: [
      "x fmt -> .",
      "x -c y f -c z a -> a",
      "x --log l show -> l",
      "x show --log l -> l",
      "x other",
      "x sub deep a -> a",
      "x",
    ],
    no_match: ["x show a", "x -c y show a", "x fmt --help"],
  },
  {
    title: "a program without its subcommand",
    ...{ names: "x", commands: { show: {} }, alone: { fixed: "a" }, match: ["x -> a"], no_match: ["x show"] },
  },
];

describe("A row reports", () => {
  it.each(rows)("$title", (row) => {
    expect(brokenExamples(row)).toEqual([]);
  });

  it.each<[string, Row, string]>([
    ["something to be found", { names: "x", match: ["x a"] }, "nothing"],
    ["nothing to be found", { names: "x", writes: "last", no_match: ["x a"] }, "writes a"],
    ["more than is written", { names: "x", writes: "last", match: ["x a b -> a b"] }, "writes b"],
    ["less than is written", { names: "x", writes: "operands", match: ["x a b -> b"] }, "writes a; writes b"],
    ["another program", { names: "x", writes: "operands", match: ["touch a"] }, "another program"],
    ["an effect that only the built-in table reports", { names: "rm", match: ["rm a"] }, "nothing"],
  ])("the example that expects %s is wrong", (_, row, found) => {
    expect(brokenExamples(row).map((broken) => broken.found)).toEqual([found]);
  });
});
