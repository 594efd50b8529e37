import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Runs the tests with the words that it is given. They write many small files that live for a second: in memory where
 * this machine allows the mount, because some disks take twice the processor time for them. The mount is in a name space
 * of its own and ends with the last process of the tests.
 */
const tests = ["vitest", "run", ...process.argv.slice(2)];
process.exitCode = isInMemory(tmpdir()) ? run(tests) : runInMemory();

function runInMemory(): number {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-memory-"));
  try {
    const script = 'mount -t tmpfs -o mode=1777 tests "$0" || exit';
    const mounted = ["unshare", "--mount", "sh", "-c"];
    if (run([...mounted, script, folder], "ignore") === 0)
      return run([...mounted, `${script}; export TMPDIR="$0"; exec "$@"`, folder, ...tests]);
    console.error("the tests write to the disk, which takes longer: set TMPDIR to a folder in memory");
    return run(tests);
  } finally {
    rmdirSync(folder);
  }
}

function isInMemory(folder: string): boolean {
  const tmpfs = 0x01021994;
  return process.platform === "linux" && statfsSync(folder).type === tmpfs;
}

function run([program = "", ...words]: readonly string[], stdio: "inherit" | "ignore" = "inherit"): number {
  return spawnSync(program, words, { stdio }).status ?? 1;
}
