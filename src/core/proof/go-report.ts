import type { InventoryRecord, TestOutcome } from "./inventory.ts";

const outcomes: Readonly<Record<string, TestOutcome>> = { PASS: "pass", FAIL: "fail", SKIP: "skip" };

const marker = String.fromCharCode(0x16);

/**
 * Reads what one test binary of `go test` printed, and how it ended. `pathOf` gives the path of its folder from the
 * checkout's root: go does not say which file a test is in.
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
    // For `-json` its lines are marked, and what a test printed may lack a line break.
    const line = marked.replace(marker, "");
    const [, word = "", name] = /--- (PASS|FAIL|SKIP): (.+) \(\d[\d.]*s\)$/.exec(line) ?? [];
    const started = /^=== RUN +(.+)$/.exec(line)?.[1];
    if (started !== undefined) open.add(started);
    else if (name !== undefined) {
      open.delete(name);
      record.add([folder, name], outcomes[word] as TestOutcome);
    } else if (line.startsWith("exit ")) isKilled = false;
  }
  // One that ends without a verdict, with no test open, has run no more tests than it lists.
  if (isKilled) record.cut(`go test began in ${folder} and did not come to its end`);
  else if (open.size > 0)
    record.cut(`go test began ${[...open].join(", ")} in ${folder} and said no outcome`);
}
