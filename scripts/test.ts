import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmdirSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { homeFolder } from "../test/support/home-folder.ts";

/**
 * Runs the tests with the given arguments. They write many small files that live for a second. These are in memory if
 * this machine allows the mounts, because some disks take twice the CPU time. The mounts are in a separate namespace
 * and end with the last process of the tests.
 */
const tests = ["vitest", "run", ...process.argv.slice(2)];
const checkout = realpathSync(join(import.meta.dirname, ".."));
const isReady = [tmpdir(), homeFolder()].every(isInMemory) && isOpen(checkout);
process.exitCode = isReady ? run(tests) : runWithMounts();

function runWithMounts(): number {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-memory-"));
  try {
    const mount = "mount -t tmpfs -o mode=1777 tests";
    const memory = `${mount} "$0" && ${mount} "$1"`;
    // The tests of the sandbox and of other users see the checkout in a place that is open to both.
    const open = `${mount} /mnt && mkdir /mnt/lockstep && mount --bind "$2" /mnt/lockstep && cd /mnt/lockstep`;
    const script = `${isOpen(checkout) ? memory : `${memory} && ${open}`} || exit`;
    const mounted = ["unshare", "--mount", "sh", "-c"];
    const folders = [folder, homeFolder(), checkout];
    if (run([...mounted, script, ...folders], "ignore") === 0)
      return run([
        ...mounted,
        `${script}; export TMPDIR="$0" PATH="$PWD/node_modules/.bin:$PATH"; shift 2; exec "$@"`,
        ...folders,
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

/** The sandbox hides /tmp, and other users cannot enter most homes. */
function isOpen(path: string): boolean {
  if (process.getuid?.() !== 0) return true; // without root there are neither mounts nor tests of other users
  if (path === realpathSync("/tmp")) return false;
  const isEntered = (statSync(path).mode & 0o001) !== 0;
  return isEntered && (path === "/" || isOpen(dirname(path)));
}

function run([program = "", ...words]: readonly string[], stdio: "inherit" | "ignore" = "inherit"): number {
  return spawnSync(program, words, { stdio }).status ?? 1;
}
