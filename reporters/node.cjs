"use strict";
// Loaded into every Node process of a check: it must cost next to nothing, print nothing and never throw.
try {
  const main = process.argv[1] || "";
  const isRunner =
    /\b(?:vitest|jest|react-scripts|_?mocha)\b/.test(main) && require("./runners.cjs").watch(main);
  if (isRunner) {
    // It reports by itself.
  } else if (process.execArgv.includes("--test")) {
    require("./node-test.cjs").watchRunner();
  } else if ((process.env.NODE_TEST_CONTEXT || "").startsWith("child")) {
    require("./report.cjs").restoreEnvironment();
    // Newer versions of `node --test` hand it on as an argument too.
    const own = process.execArgv.indexOf(`--require=${__filename}`);
    if (own >= 0) process.execArgv.splice(own, 1);
    watchHarness();
  } else {
    watchHarness();
  }
} catch {
  // A check never fails because its tests cannot be listed.
}

/** Says nothing until the process defines its first `node:test` test, which adds this listener. */
function watchHarness() {
  const watch = (name, listener) => {
    try {
      if (name !== "beforeExit" || listener.name !== "exitHandler") return;
      if (!process.moduleLoadList.some((one) => one.endsWith("internal/test_runner/harness"))) return;
      process.removeListener("newListener", watch);
      if (require("node:worker_threads").isMainThread) require("./node-test.cjs").watchFile(process.argv[1]);
    } catch {}
  };
  process.on("newListener", watch);
}
