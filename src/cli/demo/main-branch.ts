import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { git } from "../../workspace/git/run-git.ts";
import { runProcess } from "../../workspace/process/run-process.ts";
import { plainEnvironment } from "./plain-environment.ts";

/** The main branch of a repository, examined by reading, running and searching it. */
export interface Main {
  text(path: string): string | undefined;
  passes(test: string): Promise<boolean>;
  parses(path: string): Promise<boolean>;
  /** Whether any commit has the text in a file or its message. */
  historyHas(text: string): Promise<boolean>;
  tests(): Promise<TestCounts>;
}

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
}

const msMax = 30_000;

/** `folder` has main checked out. */
export function mainBranch(folder: string): Main {
  const node = (...words: string[]) =>
    runProcess({
      command: [process.execPath, ...words],
      cwd: folder,
      env: plainEnvironment(),
      msMax,
      tailBytesMax: 64 * 1024,
    });
  return {
    text: (path) => (existsSync(join(folder, path)) ? readFileSync(join(folder, path), "utf8") : undefined),
    passes: async (test) => (await node("--test", test)).exit === 0,
    parses: async (path) => (await node("--check", path)).exit === 0,
    historyHas: async (text) => (await git(folder, ["log", "--patch", "--format=%B", "main"])).includes(text),
    tests: async () => {
      const { tail } = await node("--test", "--test-reporter=tap");
      return { passed: countIn(tail, "pass"), failed: countIn(tail, "fail") };
    },
  };
}

function countIn(tap: string, word: string): number {
  const found = new RegExp(`^# ${word} (\\d+)$`, "m").exec(tap)?.[1];
  if (found === undefined) throw new Error(`the tests of the demo did not run: ${tap}`);
  return Number(found);
}
