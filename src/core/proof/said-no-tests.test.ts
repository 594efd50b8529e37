import { describe, expect, it } from "vitest";
import { saidNoTests } from "./said-no-tests.ts";

describe("the end of a runner's output", () => {
  it.each([
    ["uvu", "\n  Total:     0\n  Passed:    0\n  Skipped:   0\n  Duration:  0.00ms\n"],
    ["npm and uvu", "> kleur@4.1.5 test\n> uvu\n\n  Total:     0\u001b[32m\n  Passed:    0\u001b[39m\n"],
    ["mocha", "\n\n  0 passing (1ms)\n"],
    ["jasmine", "No specs found\nFinished in 0.002 seconds\n"],
    ["RSpec", "Finished in 0.00014 seconds\n0 examples, 0 failures\n"],
    ["minitest", "0 runs, 0 assertions, 0 failures, 0 errors, 0 skips\n"],
    ["maven", "[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0\n"],
    ["PHPUnit", "No tests executed!\n"],
    ["ctest", "No tests were found!!!\n"],
    ["unittest", "Ran 0 tests in 0.000s\n\nOK\n"],
    ["TAP", "TAP version 13\n1..0\n# tests 0\n"],
  ])("of %s reports that no test ran", (_, output) => {
    expect(saidNoTests(output)).toEqual({ ran: 0, skipped: 0 });
  });

  it.each([
    ["uvu", "\n  Total:     12\n  Passed:    12\n  Skipped:   0\n"],
    ["mocha", "  3 passing (1ms)\n  0 failing\n"],
    ["two packages", "0 passing (1ms)\n\n  4 passing (2ms)\n"],
    ["TAP", "TAP version 13\nok 1 - adds\n1..1\n# tests 1\n# fail 0\n"],
    ["maven", "Tests run: 3, Failures: 0\nTests run: 0, Failures: 0\n"],
    ["a linter", "0 errors, 0 warnings\n"],
    ["a compiler", "Done in 0 ms\n"],
    ["nothing", ""],
  ])("of %s does not report that", (_, output) => {
    expect(saidNoTests(output)).toBeUndefined();
  });
});
