import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { landRepository } from "../support/land-repository.ts";
import { startProgram } from "../support/run-command.ts";
import { command } from "../support/run-hook.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const page = readFileSync(new URL("../../docs/agents.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, , text = ""]) => text);

const block = (part: string) => {
  const found = blocks.filter((text) => text.includes(part));
  expect(found, `the one example with \`${part}\``).toHaveLength(1);
  return found[0] ?? "";
};

/** The command of the page that lets an agent do a task, and the result on the base. */
const examples: readonly (readonly [agent: string, file: string, content: string])[] = [
  ["tidy", "README.md", "# Shop\n\nIt sells."],
  ["header", "src/price.js", "// Copyright 2026 the authors\nexports.price = 1;"],
  ["notes", "NOTES.md", "# Prices are in cents\n\nPrices are in cents"],
];

const noPython = process.env.CI === "true" ? undefined : spawnSync("python3", ["--version"]).error?.message;
if (noPython !== undefined)
  console.warn(`\n!!! THE PYTHON EXAMPLE OF docs/agents.md IS SKIPPED: ${noPython}\n`);
const here = examples.filter(([agent]) => agent !== "header" || noPython === undefined);

describe("the page about agents", () => {
  const repository = landRepository({
    ".gitignore": "state\n.agents-work\n",
    "README.md": "# Shop  \n\nIt sells. \n",
    "src/price.js": "exports.price = 1;\n",
    ".lockstep/config.yaml": block("adapter: command"),
    "agents/tidy.sh": block("agents/tidy.sh:"),
    "agents/header.py": block("agents/header.py:"),
    "agents/notes.ts": block("agents/notes.ts:"),
  });
  const bin = temporaryFolder({ lockstep: `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n` });
  chmodSync(join(bin.path, "lockstep"), 0o755);
  afterAll(() => {
    for (const folder of [repository, bin]) folder[Symbol.dispose]();
  });

  it.each(here)("has a working example: %s", async (agent, file, content) => {
    const line = block("--agent tidy")
      .split("\n")
      .find((one) => one.includes(`--agent ${agent} `));
    const { status, stderr } = await startProgram(["sh", "-c", line ?? "exit 9"], {
      cwd: repository.path,
      env: {
        XDG_STATE_HOME: join(repository.path, ".git", "state"),
        // The Node that runs Lockstep also runs TypeScript.
        PATH: [bin.path, dirname(process.execPath), process.env.PATH].join(delimiter),
      },
    }).ended;
    expect(status, stderr).toBe(0);
    expect(repository.git("show", `main:${file}`)).toBe(content);
  });

  it("names every variable that an agent gets, and no other", () => {
    const named = new Set(page.match(/LOCKSTEP_[A-Z_]+/g));
    const given = ["attempt/attempt.ts", "attempt/client-place.ts"].flatMap((file) => {
      const source = readFileSync(new URL(`../../src/run/${file}`, import.meta.url), "utf8");
      return source.match(/LOCKSTEP_[A-Z_]+/g) ?? [];
    });
    expect([...named].sort()).toEqual([...new Set(given)].sort());
  });
});
