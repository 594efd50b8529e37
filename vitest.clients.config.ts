import { defineConfig } from "vitest/config";

/** The real clients: they are fetched from npm, so this is no part of the default run. */
export default defineConfig({
  test: {
    include: ["test/clients-real/*.test.ts"],
    globalSetup: ["test/support/fresh-build.ts"],
    testTimeout: 180_000,
    hookTimeout: 600_000,
  },
});
