import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { topicText } from "../../src/cli/help/topics.ts";
import { ruleCodes } from "../../src/core/rules/catalog.ts";

const root = resolve(import.meta.dirname, "../..");
const source = execFileSync("git", ["ls-files", "-z", "src", "bin"], { cwd: root, encoding: "utf8" })
  .split("\0")
  .filter((path) => /\.(?:ts|cjs)$/.test(path) && !/\.test(?:-support)?\.ts$|-samples\.ts$/.test(path))
  .map((path) => readFileSync(join(root, path), "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, ""))
  .join("\n");

describe("the topic about the environment", () => {
  const page = topicText("environment");

  it("names every variable that Lockstep reads or sets", () => {
    const read = [...source.matchAll(/process\.env\.([A-Z][A-Z_]+)/g)].map(([, name = ""]) => name);
    const own = source.match(/\bLOCKSTEP_[A-Z_]+/g) ?? [];
    // A variable of the shell, an example in a text, and one that passes between two lines of one script.
    const inner = ["PWD", "API_KEY", "LOCKSTEP_IGNORED"];
    const names = [...new Set([...read, ...own])].filter((name) => !inner.includes(name));
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  });

  it("names no unknown variable of Lockstep", () => {
    expect((page.match(/LOCKSTEP_[A-Z_]+/g) ?? []).filter((name) => !source.includes(name))).toEqual([]);
  });
});

describe("the topic about exit codes", () => {
  it("names every kind of fault", () => {
    const faults = ruleCodes.filter((code) => code.startsWith("E-"));
    expect(faults.length).toBeGreaterThan(4);
    expect(faults.filter((code) => !topicText("exit-codes").includes(`\`${code}\``))).toEqual([]);
  });
});
