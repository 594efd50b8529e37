import { existsSync } from "node:fs";
import { availableParallelism, homedir } from "node:os";
import { delimiter, join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** These files take the longest. They start first, so that no worker is still busy with one when the others are done. */
const slow =
  /\/(?:board\/page|cli\/(?:demo|doctor)|documents\/guide|guard\/(?:caches|corpus|hook-lines|sandbox|shell-calls)|machines\/(?:fleet-faults|push-faults)|processes\/kill|proof\/(?:cheats|judgement|proof-checkout)|run\/(?:integrate|land|landing-recovery|manual-checks|rollback|run|run-agents|run-faults|run-together|take-over)|server\/(?:serve|server-processes)|session\/(?:kill|run)|simulation\/simulation)\.test\.ts$/;

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slow.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

/** Replaces a module and asserts that it is not loaded yet, so it needs a worker of its own. */
const ownWorker = ["src/core/secrets/preset-rules.test.ts"];

/** Tests start Node hundreds of times. What it compiled, and the types that it took out, it finds here. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/node-compile");

/**
 * The checkout's own Node first, then the test runners, then the system's programs. A version manager's `python3` and
 * `pip` are shell scripts that take several times as long to start. What is on PATH can be read in the sandbox, also if
 * this checkout lies in a folder that the sandbox hides.
 */
const programs = ["node_modules/.bin", "test/runners/node_modules/.bin"];
const folders = programs.map((folder) => join(import.meta.dirname, folder));
process.env.PATH = [...folders, "/usr/bin", process.env.PATH].join(delimiter);

/** Rust's tool chain may lie in the home, which tests replace. */
const rustup = join(homedir(), ".rustup");
if (existsSync(rustup)) process.env.RUSTUP_HOME ??= rustup;

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "shared-workers",
          include: ["{src,test}/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...ownWorker, "test/clients-real/**", "test/cheats/*/**"],
          // A worker for each file would load the same modules 300 times. `fresh-worker.ts` says what a file gets anew.
          isolate: false,
        },
      },
      { extends: true, test: { name: "own-worker", include: ownWorker } },
    ],
    globalSetup: ["test/support/fresh-build.ts"],
    setupFiles: ["test/support/fresh-worker.ts", "test/support/fixed-seed.ts"],
    testTimeout: 60_000,
    sequence: { sequencer: SlowFirst },
    // Most tests wait for processes, and some for seconds: with fewer workers the cores are idle part of the time.
    maxWorkers: availableParallelism() * 2,
    execArgv: ["--expose-gc"],
  },
});
