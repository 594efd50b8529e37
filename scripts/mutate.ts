import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createVitest, type TestCase, type Vitest } from "vitest/node";
import { readMutations } from "../test/conformance/mutations.ts";

const usage = `usage: npm run mutate -- [--row ID] [--file PATH]
Shows that the tests of test/conformance/conformance.md can fail. Each mutation of test/conformance/mutations/ removes the
behaviour of its rows in a copy of this repository's last commit; the test that is named with it must pass before and
fail then, in its own time. Exit 1 with the mutations that no test noticed.
`;

const { values: flags } = parseArgs({
  options: { row: { type: "string" }, file: { type: "string" }, help: { type: "boolean", default: false } },
});

type Mutation = ReturnType<typeof readMutations>[number];
type NamedTest = Pick<Mutation, "test" | "title">;

interface TestRun {
  readonly passed: number;
  readonly failed: number;
  /** Whether every failure is a timeout. */
  readonly timedOut: boolean;
}

/** Runs without a mutation, by test, because many mutations share one. */
const unmutated = new Map<string, TestRun>();

if (flags.help) process.stdout.write(usage);
else process.exitCode = await run();

async function run(): Promise<0 | 1> {
  const root = join(import.meta.dirname, "..");
  const wanted = readMutations(root).filter(
    ({ rows, file }) =>
      (flags.row === undefined || rows.includes(flags.row)) &&
      (flags.file === undefined || file === flags.file),
  );
  const copy = mkdtempSync(join(tmpdir(), "lockstep-mutate-"));
  const git = (...words: string[]) => execFileSync("git", words, { cwd: root, stdio: "pipe" });
  git("worktree", "add", "--detach", "--force", copy);
  try {
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    symlinkSync(join(root, "test/runners/node_modules"), join(copy, "test/runners/node_modules"));
    process.chdir(copy);
    const unnoticed = await testAll(copy, wanted);
    process.stdout.write(`${wanted.length - unnoticed} of ${wanted.length} mutations were noticed\n`);
    return unnoticed === 0 ? 0 : 1;
  } finally {
    process.chdir(root);
    git("worktree", "remove", "--force", copy);
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Returns the number of unnoticed mutations. One Vitest runs all tests, because it takes seconds to start. */
async function testAll(copy: string, mutations: readonly Mutation[]): Promise<number> {
  const vitest = await createVitest("test", { root: copy, watch: false, reporters: [{}] });
  try {
    await vitest.standalone();
    let unnoticed = 0;
    for (const one of mutations) {
      const outcome = await testMutated(vitest, copy, one);
      if (outcome !== "noticed") unnoticed += 1;
      process.stdout.write(`${outcome.padEnd(9)} ${one.rows.join(" ")}  ${one.file}\n`);
    }
    return unnoticed;
  } finally {
    await vitest.close();
  }
}

/** A test that fails without the mutation, or times out with it, shows nothing. */
async function testMutated(
  vitest: Vitest,
  copy: string,
  { file, from, to, test, title }: Mutation,
): Promise<"noticed" | "UNNOTICED" | "NO TEST" | "RED" | "TIMEOUT"> {
  const path = join(copy, file);
  const text = readFileSync(path, "utf8");
  const write = (now: string) => {
    writeFileSync(path, now);
    vitest.invalidateFile(path);
  };
  const key = `${test} ${title}`;
  const before = unmutated.get(key) ?? (await runTest(vitest, copy, { test, title }));
  unmutated.set(key, before);
  if (before.passed === 0) return before.failed > 0 ? "RED" : "NO TEST";
  if (before.failed > 0) return "RED";
  write(text.replace(from, () => to));
  try {
    const { failed, passed, timedOut } = await runTest(vitest, copy, { test, title });
    if (timedOut) return "TIMEOUT";
    if (failed > 0) return "noticed";
    // A file that no longer loads fails completely, without a test.
    return passed > 0 ? "UNNOTICED" : "NO TEST";
  } finally {
    write(text);
  }
}

async function runTest(vitest: Vitest, copy: string, { test, title }: NamedTest): Promise<TestRun> {
  const specifications = await vitest.globTestSpecifications([test]);
  // Tests of the command run the built files.
  if (!/^(?:src|test\/(?:core|engine|ledger|orchestrator))\//.test(test))
    execFileSync(process.execPath, ["scripts/build.ts"], { cwd: copy });
  const name = title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/%[sij]/g, ".*");
  vitest.setGlobalTestNamePattern(new RegExp(name));
  const { testModules } = await vitest.runTestSpecifications(specifications);
  // The result also contains the modules of earlier runs.
  const ran = testModules.filter(({ moduleId }) => moduleId === join(copy, test));
  const tests = ran.flatMap(({ children }) => [...children.allTests()]);
  const failed = tests.filter((one) => one.result().state === "failed");
  return {
    passed: tests.filter((one) => one.result().state === "passed").length,
    failed: failed.length,
    timedOut: failed.length > 0 && failed.every(ranOutOfTime),
  };
}

function ranOutOfTime(test: TestCase): boolean {
  return (test.result().errors ?? []).every(({ message }) => /timed out in \d+ms/.test(message));
}
