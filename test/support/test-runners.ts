import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Inventory, TestCount } from "../../src/core/proof/inventory.ts";
import { type Proven, Prover, type ProverOptions } from "../../src/proof/prover.ts";
import { type Layout, provingGround } from "./proving-ground.ts";
import { skipLoudly } from "./skip-loudly.ts";

const inProject = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** By name, the script to start with Node. */
export const scripts = {
  vitest: inProject("node_modules/vitest/vitest.mjs"),
  jest: inProject("test/runners/node_modules/jest/bin/jest.js"),
  mocha: inProject("test/runners/node_modules/mocha/bin/mocha.js"),
};

/** The interpreter that Debian's pytest is installed for. */
export const python = "/usr/bin/python3";

const probes = {
  jest: ["test", "-e", scripts.jest],
  mocha: ["test", "-e", scripts.mocha],
  python: [python, "-c", "pass"],
  pytest: [python, "-c", "import pytest, xdist"],
  go: ["go", "version"],
  cargo: ["cargo", "--version"],
  make: ["make", "--version"],
};

/** Whether the tests of a runner are skipped; on CI the runner must be installed. */
export function isMissing(runner: keyof typeof probes): boolean {
  const [program = "", ...words] = probes[runner];
  const isThere = spawnSync(program, words).status === 0;
  return skipLoudly(`THE TESTS OF ${runner}`, isThere ? undefined : `\`${probes[runner].join(" ")}\` fails`);
}

interface Listed {
  readonly exit: number | null;
  readonly tail: string;
  readonly runners: readonly string[] | undefined;
  readonly tests: Readonly<Record<string, string>>;
  readonly cut: string | null | undefined;
  readonly inventory: Inventory | null;
  readonly count: TestCount | undefined;
}

/** Runs commands as checks of a repository with these files, and returns their inventories. */
export async function listTests(
  files: Readonly<Record<string, string>>,
  commands: readonly string[],
  more: Partial<ProverOptions> = {},
  layout?: Layout,
): Promise<readonly Listed[]> {
  using ground = provingGround(files, layout);
  const envPass = ["PATH", "HOME", "RUSTUP_HOME"];
  using prover = await Prover.open({ ...ground.options, setup: [], envPass, ...more });
  const all: Listed[] = [];
  for (const command of commands) {
    const proven = (await prover.run("main", command)) as Proven;
    expect(proven, command).not.toHaveProperty("error");
    const { run, inventory } = proven;
    // Copied, because the inventory's own record has no prototype.
    const tests = Object.fromEntries(Object.entries(inventory?.tests ?? {}));
    const { runners, cut } = inventory ?? {};
    all.push({ exit: run.exit, tail: run.tail, runners, tests, cut, inventory, count: run.tests });
  }
  return all;
}

/** Ids of tests in one file. */
export function inFile(
  file: string,
  tests: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(tests).map(([name, outcome]) => [`${file} > ${name}`, outcome]));
}
