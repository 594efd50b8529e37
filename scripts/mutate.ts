import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readMutations } from "../test/conformance/mutations.ts";

const usage = `usage: npm run mutate -- [--row ID] [--file PATH]
Shows that the tests of test/conformance/conformance.md can fail. Each mutation of test/conformance/mutations/ removes the
behaviour of its rows in a copy of this repository's last commit; the test that is named with it must pass before and
fail then, in its own time. Exit 1 with the mutations that no test noticed.
`;

const { values: flags } = parseArgs({
  options: { row: { type: "string" }, file: { type: "string" }, help: { type: "boolean", default: false } },
});

/** Runs without a mutation, by test: many mutations share one. */
const unmutated = new Map<string, TestRun>();

if (flags.help) process.stdout.write(usage);
else process.exitCode = run();

function run(): 0 | 1 {
  const root = new URL("..", import.meta.url).pathname;
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
    const unnoticed = wanted.filter((one) => {
      const outcome = testMutated(copy, one);
      process.stdout.write(`${outcome.padEnd(9)} ${one.rows.join(" ")}  ${one.file}\n`);
      return outcome !== "noticed";
    });
    process.stdout.write(`${wanted.length - unnoticed.length} of ${wanted.length} mutations were noticed\n`);
    return unnoticed.length === 0 ? 0 : 1;
  } finally {
    git("worktree", "remove", "--force", copy);
    rmSync(copy, { recursive: true, force: true });
  }
}

type Mutation = ReturnType<typeof readMutations>[number];

/** A test that fails without the mutation, or runs out of time with it, shows nothing. */
function testMutated(
  copy: string,
  { file, from, to, test, title }: Mutation,
): "noticed" | "UNNOTICED" | "NO TEST" | "RED" | "TIMEOUT" {
  const path = join(copy, file);
  const text = readFileSync(path, "utf8");
  const key = `${test} ${title}`;
  const before = unmutated.get(key) ?? runTest(copy, { test, title });
  unmutated.set(key, before);
  if (before.passed === 0) return before.failed > 0 ? "RED" : "NO TEST";
  if (before.failed > 0) return "RED";
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  try {
    const { failed, passed, timedOut } = runTest(copy, { test, title });
    if (timedOut) return "TIMEOUT";
    if (failed > 0) return "noticed";
    // A file that no longer loads fails as a whole, without a test.
    return passed > 0 ? "UNNOTICED" : "NO TEST";
  } finally {
    writeFileSync(path, text);
  }
}

interface TestRun {
  readonly passed: number;
  readonly failed: number;
  /** Every failure is that of a time limit. */
  readonly timedOut: boolean;
}

function runTest(copy: string, { test, title }: Pick<Mutation, "test" | "title">): TestRun {
  const name = title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/%[sij]/g, ".*");
  const report = join(copy, "report.json");
  const words = ["vitest", "run", test, "-t", name, "--reporter=json", `--outputFile=${report}`];
  rmSync(report, { force: true });
  spawnSync("npx", words, { cwd: copy, stdio: "ignore" });
  const read = JSON.parse(readFileSync(report, "utf8")) as {
    readonly numFailedTests?: number;
    readonly numPassedTests?: number;
    readonly testResults: readonly {
      readonly assertionResults: readonly { readonly failureMessages?: readonly string[] }[];
    }[];
  };
  const messages = read.testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ failureMessages = [] }) => failureMessages),
  );
  const isTimeout = (message: string) => /timed out in \d+ms/.test(message);
  return {
    passed: read.numPassedTests ?? 0,
    failed: read.numFailedTests ?? 0,
    timedOut: messages.length > 0 && messages.every(isTimeout),
  };
}
