import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** These files take the longest. They start first, so that no worker is still busy with one when the others are done. */
const slow =
  /\/(?:proof\/cheats|session\/(?:run|kill)|guard\/(?:corpus|shell-calls|caches)|machines\/fleet-faults|run\/(?:run|land|take-over|run-together|run-agents|run-faults|manual-checks|landing-recovery|rollback)|processes\/kill|simulation|serve|guide)\.test\.ts$/;

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slow.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

/** These start no processes and change nothing outside of their files, so that many files can share a worker. */
const inProcess = ["src/**/*.test.ts", "test/{core,engine,ledger,orchestrator}/**/*.test.ts"];

/** Asserts that a module is not loaded yet, so it needs a worker of its own. */
const needsWorker = "src/core/secrets/preset-rules.test.ts";

/** Tests start Node hundreds of times. What it compiled, and the types that it took out, it finds here. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/node-compile");

/**
 * The checkout's own Node first, then the system's programs. A version manager's `python3` and `pip` are shell scripts
 * that take several times as long to start.
 */
const programs = join(import.meta.dirname, "node_modules/.bin");
process.env.PATH = [programs, "/usr/bin", process.env.PATH].join(delimiter);

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "in-process",
          include: inProcess,
          exclude: [...configDefaults.exclude, needsWorker],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "processes",
          include: ["test/**/*.test.ts", needsWorker],
          exclude: [
            ...configDefaults.exclude,
            ...inProcess.slice(1),
            "test/clients-real/**",
            "test/cheats/*/**",
          ],
        },
      },
    ],
    globalSetup: ["test/support/fresh-build.ts"],
    setupFiles: ["test/support/fresh-worker.ts", "test/support/fixed-seed.ts"],
    testTimeout: 60_000,
    sequence: { sequencer: SlowFirst },
    // Most tests wait for processes, and some for seconds: as many workers as cores leave a sixth of the time unused.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
  },
});
