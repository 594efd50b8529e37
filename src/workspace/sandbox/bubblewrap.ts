import { existsSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { quoted } from "../../core/text/quoted.ts";
import { runProcess } from "../process/run-process.ts";
import { enclosing, isBelow, type Mount, planMounts } from "./plan-mounts.ts";
import { type Sandbox, SandboxFault, type SandboxPolicy } from "./sandbox.ts";

/**
 * The first process is a shell, because the kernel ends all other processes of the namespace before it. So when bwrap
 * has ended, every child has ended too, even in another session. With `exec` the shell starts a program, never a
 * builtin of the same name.
 */
const firstProcess = ["/bin/sh", "-c", '(exec "$@"); exit $?', "sh"];

/**
 * Entries of a new /proc that root can write even without capabilities. `bus`, `irq` and `sysrq-trigger` are not listed:
 * bwrap makes them read-only itself. bwrap reads the whole list of mounts again for every mount, so each one costs time.
 */
const kernelControls = process.getuid?.() === 0 ? ["acpi", "fs", "mtrr", "scsi", "sys"] : [];

/** A sandbox of Linux namespaces, built by the program `bwrap` at this path. */
export function bubblewrap(program: string): Sandbox {
  let ownNetworks: Promise<boolean> | undefined;
  return {
    kind: "bubblewrap",
    enforces: true,
    hasOwnNetworks: () => {
      ownNetworks ??= tryOwnNetwork(program);
      return ownNetworks;
    },
    wrap(command, policy, { cwd, env }) {
      const mounts = planMounts(policy);
      const words = [...sandboxWords(policy, mounts), "--chdir", visibleFolder(cwd, mounts)];
      // The environment is not passed as arguments, because every user of the machine can read those.
      return {
        command: [program, ...words, "--", ...firstProcess, ...command],
        env: { ...env, TMPDIR: "/tmp" },
      };
    },
  };
}

/** Some containers allow all namespaces but this one. */
async function tryOwnNetwork(program: string): Promise<boolean> {
  const command = [program, "--unshare-net", "--ro-bind", "/", "/", "/bin/sh", "-c", ":"];
  return (await runProcess({ command, cwd: "/", env: {}, msMax: 10_000 })).exit === 0;
}

/** The options of `bwrap` that build this sandbox. */
export function sandboxWords(policy: SandboxPolicy, mounts = planMounts(policy)): readonly string[] {
  return [
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(policy.network ? [] : ["--unshare-net"]),
    ...["--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...kernelControls.map((name) => join("/proc", name)).flatMap(lockedIfPresent),
    ...mounts.flatMap(mountWords),
    // Last, because bwrap creates the mount points inside these folders first.
    ...mounts
      .filter((mount) => isEmptyFolder(mount) && !canVanish(mount, policy))
      .flatMap(({ at }) => ["--remount-ro", at]),
  ];
}

function lockedIfPresent(path: string): string[] {
  return existsSync(path) ? ["--ro-bind", path, path] : [];
}

function mountWords(mount: Mount): string[] {
  const { at, from, as } = mount;
  switch (as) {
    case "writable":
      return ["--bind", from, at];
    case "read-only":
      return ["--ro-bind", from, at];
    case "link":
      return ["--symlink", from, at];
    case "hidden": // a file is covered by /dev/null, which cannot be opened inside
      return isEmptyFolder(mount) ? ["--perms", "0755", "--tmpfs", at] : ["--ro-bind", "/dev/null", at];
  }
}

function isEmptyFolder({ at, as }: Mount): boolean {
  return as === "hidden" && (statSync(at, { throwIfNoEntry: false })?.isDirectory() ?? true);
}

/** Its owner may delete a folder in the machine's temporary folders while bwrap starts, and bwrap cannot remount it then. */
function canVanish({ at }: Mount, { temporary }: SandboxPolicy): boolean {
  return temporary === null && ["/tmp", "/var/tmp"].some((folder) => isBelow(folder, at));
}

function visibleFolder(cwd: string, mounts: readonly Mount[]): string {
  if (!existsSync(cwd)) throw new SandboxFault(`the working folder ${quoted(cwd)} does not exist`);
  const folder = realpathSync.native(cwd);
  const around = enclosing(new Map(mounts.map((mount) => [mount.at, mount])), join(folder, "x"));
  if (around?.as === "hidden")
    throw new SandboxFault(
      `the working folder ${quoted(cwd)} is hidden in the sandbox: make it writable or read-only`,
    );
  return folder;
}
