import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { homeFolder } from "../test/support/home-folder.ts";

/**
 * Runs the tests with the given arguments. They write many small files that live for a second. These are in memory if
 * this machine allows the mounts, because some disks take twice the CPU time. The mounts are in a separate namespace
 * and end with the last process of the tests.
 */
const tests = ["vitest", "run", ...process.argv.slice(2)];
process.exitCode = [tmpdir(), homeFolder()].every(isInMemory) ? run(tests) : runInMemory();

function runInMemory(): number {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-memory-"));
  try {
    const mount = "mount -t tmpfs -o mode=1777 tests";
    const script = `${mount} "$0" && ${mount} "$1" || exit`;
    const mounted = ["unshare", "--mount", "sh", "-c"];
    if (run([...mounted, script, folder, homeFolder()], "ignore") === 0)
      return run([
        ...mounted,
        `${script}; export TMPDIR="$0"; shift; exec "$@"`,
        folder,
        homeFolder(),
        ...tests,
      ]);
    if (!isInMemory(tmpdir()))
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
