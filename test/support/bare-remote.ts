import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Repository } from "./run-command.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A repository without files, as on a host. */
export interface BareRemote extends Disposable {
  readonly path: string;
  git(...words: string[]): string;
  /** Undefined if there is no such ref. */
  ref(name: string): string | undefined;
  /** A shell script that runs there on every push, with `$GIT_DIR` as its folder. */
  hook(name: "pre-receive" | "update" | "post-receive", script: string): void;
  unhook(name: "pre-receive" | "update" | "post-receive"): void;
}

/** The remote `origin` of a repository, with its `main`. */
export function bareRemote(of: Repository): BareRemote {
  const folder = temporaryFolder({});
  const path = join(folder.path, "remote.git");
  execFileSync("git", ["clone", "-q", "--bare", of.path, path]);
  of.git("remote", "add", "origin", path);
  of.git("fetch", "-q", "origin");
  return { ...hostAt(path), [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

function hostAt(path: string) {
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=h", "-c", "user.email=h@localhost", ...words], {
      cwd: path,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  const fileOf = (name: string) => join(path, "hooks", name);
  return {
    path,
    git,
    ref: (name: string) => git("for-each-ref", "--format=%(objectname)", name) || undefined,
    hook: (name: string, script: string) => {
      writeFileSync(fileOf(name), `#!/bin/sh\n${script}\n`);
      chmodSync(fileOf(name), 0o755);
    },
    unhook: (name: string) => rmSync(fileOf(name), { force: true }),
  };
}
