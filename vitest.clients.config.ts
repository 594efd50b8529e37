import { defineConfig } from "vitest/config";

/** The real clients: they are fetched from npm, so this is no part of the default run. */
export default defineConfig({
  test: {
    include: ["test/clients-real/*.test.ts"],
    globalSetup: ["test/support/fresh-build.ts"],
    testTimeout: 900_000, // on a loaded machine one start of a client takes a minute
    hookTimeout: 600_000,
  },
});
