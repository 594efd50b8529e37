import type { TestCount } from "./inventory.ts";

/** How runners say in their summary that nothing ran: uvu, mocha, jasmine, RSpec, minitest, JUnit, PHPUnit, TAP and others. */
const none = [
  /(?:^|\])\W*(?:total|tests?|tests run|specs?|suites)\s*[:=]?\s+0\b/im,
  /(?<![\w.@-])0 (?:tests?|passing|specs?|examples?|runs)\b/i,
  /\bno (?:tests?|specs?|test files|test cases) (?:found|executed|were found|to run|ran|match\w*)/i,
  /^1\.\.0\b/m,
];

/** Any of these means that some test ran, for example in another package. */
const some = [
  /(?:^|\])\W*(?:total|tests?|tests run|specs?|suites|passed|pass)\s*[:=]?\s+[1-9]/im,
  /(?<![\w.@-])[1-9]\d* (?:tests?|passing|passed|specs?|examples?|runs|assertions)\b/i,
  /^ok [1-9]/m,
  /^1\.\.[1-9]/m,
];

/** The count of a runner that reports nothing but says at the end of its output that no test ran. */
export function saidNoTests(output: string): TestCount | undefined {
  const matches = (patterns: readonly RegExp[]) => patterns.some((pattern) => pattern.test(output));
  return matches(none) && !matches(some) ? { ran: 0, skipped: 0 } : undefined;
}
