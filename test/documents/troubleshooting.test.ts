import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ruleCodes } from "../../src/core/rules/catalog.ts";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/troubleshooting.md"), "utf8");
const messages = [...page.matchAll(/^### (.+)$/gm)].map(([, heading = ""]) => heading);

/** Every line of the product except comments, without the syntax around texts. */
const sources = execFileSync("git", ["ls-files", "-z", "src", "bin"], { cwd: root, encoding: "utf8" })
  .split("\0")
  .filter((path) => /\.(?:ts|cjs)$/.test(path) && !/\.test(?:-support)?\.ts$/.test(path))
  .flatMap((path) => readFileSync(join(root, path), "utf8").replaceAll("\\`", "`").split("\n"))
  .map((line) => line.replaceAll(/\$\{style\.\w+\("([^"]*)"\)\}/g, "$1"))
  .filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line));

describe("the page about messages", () => {
  it("has the most common messages, once each", () => {
    expect(messages.length).toBeGreaterThan(20);
    expect(new Set(messages).size).toBe(messages.length);
    for (const code of ["E-CONFIG", "E-PLAN", "E-STORE", "E-NODE", "R-LS-001"])
      expect(messages.some((message) => message.startsWith(code))).toBe(true);
  });

  it.each(messages)("%s: is still a message with a valid code", (message) => {
    const [, code, text = ""] =
      /^(?:([A-Z]+-[A-Z0-9-]+)(?:: |$))?(.*?)(?: \(exit \d\))?$/.exec(message) ?? [];
    if (code !== undefined) expect(ruleCodes).toContain(code);
    const parts = text
      .split("…")
      .map((part) => part.trim())
      .filter((part) => /\w/.test(part));
    // The words of one message are in one line of the source, in this order.
    const inOrder = (line: string) => {
      let from = 0;
      return parts.every((part) => {
        const at = line.indexOf(part, from);
        from = at + part.length;
        return at >= 0;
      });
    };
    expect(sources.some(inOrder)).toBe(true);
  });

  it("gives an action under each message", () => {
    const sections = page.split(/^### .+$/m).slice(1);
    expect(sections.filter((text) => text.split(/^## /m)[0]?.trim() === "")).toEqual([]);
  });
});
