import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { orDiskFault } from "../files/disk-fault.ts";
import { stateHome } from "../state/state-home.ts";
import { remoteGit } from "./remote-git.ts";
import { git } from "./run-git.ts";
import { locksIn, removeStaleLocks } from "./stale-locks.ts";

interface Failed {
  readonly why: string;
}

/** A clone that only Lockstep uses, below the user's state folder. It is made once for each address. */
export async function openOwnClone(url: string): Promise<{ readonly root: string } | Failed> {
  const folder = join(stateHome(), "clones");
  orDiskFault("create", folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  const id = createHash("sha256").update(url).digest("hex").slice(0, 12);
  const name = basename(url.replace(/[/:]+$/, ""), ".git").replace(/[^A-Za-z0-9._-]/g, "_");
  const root = join(folder, `${name}-${id}`);
  if (existsSync(join(root, ".git"))) return { root };
  // Renamed when it is whole, so that an interrupted clone is not taken for one.
  const temporary = `${root}.${process.pid}`;
  const ran = await remoteGit(folder, "origin", ["clone", "--quiet", "--", url, temporary]);
  if (ran.exit !== 0) {
    rmSync(temporary, { recursive: true, force: true });
    const line = ran.stderr.split("\n").find((text) => /^(?:fatal|error):/.test(text)) ?? ran.stderr;
    return { why: ran.timedOut ? "it did not answer in time" : line.trim() || "git failed" };
  }
  if (existsSync(join(root, ".git"))) rmSync(temporary, { recursive: true, force: true });
  else renameSync(temporary, root);
  return { root };
}

/** Moves the clone's branch and its files to where the branch is at the remote. Untracked files stay. */
export async function refreshOwnClone(
  root: string,
  remote: string,
  base: string,
): Promise<Failed | undefined> {
  // A worker that was killed may have left them, and no later one could start.
  const gitFolder = join(root, ".git");
  await removeStaleLocks({ folders: [root, gitFolder], locks: locksIn(gitFolder) });
  const ran = await remoteGit(root, remote, [
    "fetch",
    "--quiet",
    "--no-tags",
    remote,
    `+refs/heads/${base}:refs/remotes/${remote}/${base}`,
  ]);
  if (ran.exit !== 0) return { why: ran.timedOut ? "it did not answer in time" : ran.stderr.trim() };
  await git(root, ["checkout", "--quiet", "--force", "-B", base, `refs/remotes/${remote}/${base}`]);
  return undefined;
}
