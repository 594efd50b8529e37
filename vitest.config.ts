import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "test/clients-real/**", "test/cheats/*/**"],
    setupFiles: ["test/support/fixed-seed.ts"],
    testTimeout: 60_000,
    // Most tests wait for processes: one worker fewer than cores would leave half of two idle.
    maxWorkers: "100%",
  },
});
