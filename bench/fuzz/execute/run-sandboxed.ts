import { spawn } from "node:child_process";
import { existsSync, lstatSync, readlinkSync } from "node:fs";
import type { DirtyRepository } from "./dirty-repository.ts";

const msMax = 3000;
const limits = "ulimit -c 0 -f 4096 -t 3 -u 256 -v 2097152";
const systemFolders = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc"];

/** The environment of a command. */
export function environmentOf({ home }: DirtyRepository): Readonly<Record<string, string>> {
  return { PATH: "/usr/bin:/bin", HOME: home, LANG: "C.UTF-8" };
}

/** Runs a command in a sandbox where it can write only the repository, its surroundings and an empty /tmp. */
export async function runSandboxed(
  command: string,
  repository: DirtyRepository,
): Promise<"ended" | "too long"> {
  const words = [...sandboxWords(repository), "--", "/bin/bash", "-c", `${limits}; exec /bin/bash -c "$1"`];
  const child = spawn("bwrap", [...words, "bash", command], {
    env: environmentOf(repository),
    // The end of the pipe shows that every process has ended, even after the sandbox was killed.
    stdio: ["ignore", "ignore", "pipe"],
    timeout: msMax,
    killSignal: "SIGKILL",
  });
  const { promise, resolve, reject } = Promise.withResolvers<"ended" | "too long">();
  child.on("error", reject);
  child.stderr.resume();
  child.on("close", (_, signal) => resolve(signal === null ? "ended" : "too long"));
  return promise;
}

/** A user namespace even for root: only there the number of processes can be limited. */
function sandboxWords({ base, root }: DirtyRepository): readonly string[] {
  return [
    ...["--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...systemFolders.filter((path) => existsSync(path)).flatMap(shown),
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp"],
    ...["--bind", base, base, "--remount-ro", "/", "--chdir", root],
  ];
}

function shown(path: string): readonly string[] {
  return lstatSync(path).isSymbolicLink()
    ? ["--symlink", readlinkSync(path), path]
    : ["--ro-bind", path, path];
}
