import { existsSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { quoted } from "../../core/text/quoted.ts";
import { enclosing, type Mount, planMounts } from "./plan-mounts.ts";
import { type Sandbox, SandboxFault, type Walls } from "./sandbox.ts";

/**
 * A shell as the first process, because the kernel ends everything else in the name space before that one is gone:
 * when bwrap has ended, so has every child, whatever session it moved to. `exec`: no program is taken for a builtin.
 */
const firstProcess = ["/bin/sh", "-c", '(exec "$@"); exit $?', "sh"];

/**
 * What root may write in a new /proc although no capability is left. `bus`, `irq` and `sysrq-trigger` are not listed:
 * bwrap makes them read-only itself. For every mount bwrap reads the whole list of mounts again, so each one counts.
 */
const kernelControls = process.getuid?.() === 0 ? ["acpi", "fs", "mtrr", "scsi", "sys"] : [];

/** Walls made of Linux name spaces, by the program `bwrap` at this path. */
export function bubblewrap(program: string): Sandbox {
  return {
    kind: "bubblewrap",
    enforces: true,
    wrap(command, walls, { cwd, env }) {
      const mounts = planMounts(walls);
      const words = [...wallWords(walls, mounts), "--chdir", visibleFolder(cwd, mounts)];
      // The environment goes the way of environments: arguments can be read by every user of the machine.
      return {
        command: [program, ...words, "--", ...firstProcess, ...command],
        env: { ...env, TMPDIR: "/tmp" },
      };
    },
  };
}

/** The options of `bwrap` that build these walls. */
export function wallWords(walls: Walls, mounts = planMounts(walls)): readonly string[] {
  return [
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(walls.network ? [] : ["--unshare-net"]),
    ...["--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...kernelControls.map((name) => join("/proc", name)).flatMap(lockedIfPresent),
    ...mounts.flatMap(mountWords),
    // Last: the places for what is shown in them had to be made first.
    ...mounts.filter(isEmptyFolder).flatMap(({ at }) => ["--remount-ro", at]),
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
    case "hidden": // devices do not open inside
      return isEmptyFolder(mount) ? ["--perms", "0755", "--tmpfs", at] : ["--ro-bind", "/dev/null", at];
  }
}

function isEmptyFolder({ at, as }: Mount): boolean {
  return as === "hidden" && statSync(at).isDirectory();
}

function visibleFolder(cwd: string, mounts: readonly Mount[]): string {
  if (!existsSync(cwd)) throw new SandboxFault(`the folder ${quoted(cwd)} to start in does not exist`);
  const folder = realpathSync(cwd);
  const around = enclosing(new Map(mounts.map((mount) => [mount.at, mount])), join(folder, "x"));
  if (around?.as === "hidden")
    throw new SandboxFault(
      `the folder ${quoted(cwd)} to start in is hidden inside: make it writable or read-only`,
    );
  return folder;
}
