import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "test/clients-real/**", "test/cheats/*/**"],
    globalSetup: ["test/support/fresh-build.ts"],
    setupFiles: ["test/support/fixed-seed.ts"],
    testTimeout: 60_000,
    // Most tests wait for processes, and some for seconds: as many workers as cores leave a sixth of the time unused.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
  },
});
