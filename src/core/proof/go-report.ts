import type { InventoryRecord, TestOutcome } from "./inventory.ts";

const outcomes: Readonly<Record<string, TestOutcome>> = { PASS: "pass", FAIL: "fail", SKIP: "skip" };

const lineLengthMax = 10_000;
const marker = String.fromCharCode(0x16);

/**
 * Reads the output of one test binary of `go test`, and how it ended. `pathOf` returns the path of its folder relative
 * to the checkout's root; go does not report the file of a test.
 */
export function readGoReport(
  report: string,
  pathOf: (folder: string) => string,
  record: InventoryRecord,
): void {
  const [first = "", ...lines] = report.split("\n");
  if (!first.startsWith("begin ")) return;
  const folder = pathOf(first.slice("begin ".length)) || ".";
  record.began("go test");
  const open = new Set<string>();
  let isKilled = true;
  for (const marked of lines) {
    // With `-json` the lines have a marker, and a test's output may lack a line break.
    const line = marked.replace(marker, "");
    const [, word = "", name] = /--- (PASS|FAIL|SKIP): (.+) \(\d[\d.]*s\)$/.exec(line) ?? [];
    const started = /^=== RUN +(.+)$/.exec(line)?.[1];
    if (started !== undefined) open.add(started);
    else if (name !== undefined) {
      open.delete(name);
      record.add([folder, name], outcomes[word] as TestOutcome);
    } else if (line.startsWith("exit ")) isKilled = false;
  }
  // A binary that exits without a verdict and without an open test has run only the tests that it lists.
  if (isKilled) record.cut(`go test began in ${folder} and did not finish`);
  else if (open.size > 0)
    record.cut(`go test began ${[...open].join(", ")} in ${folder} and reported no outcome`);
}

/** Looks for packages without tests in the output of `go test`, which starts no test binary for them. */
export class GoLines {
  #rest = "";
  #hasUntested = false;

  add(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = (lines.pop() ?? "").slice(-lineLengthMax);
    this.#hasUntested ||= lines.some((line) => /^\?\s+\S+\s+\[no test files\]$/.test(line));
  }

  finish(record: InventoryRecord): void {
    if (this.#hasUntested) record.began("go test");
  }
}
