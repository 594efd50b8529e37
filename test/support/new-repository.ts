import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";

let template: string | undefined;

/** Makes the folder a git repository without commits, on `main`. A copy takes less time than git takes to start. */
export function newRepository(folder: string): void {
  template ??= newTemplate();
  cpSync(template, join(folder, ".git"), { recursive: true });
}

function newTemplate(): string {
  const folder = temporaryFolder();
  process.once("exit", () => folder[Symbol.dispose]());
  execFileSync("git", ["init", "-q", "-b", "main"], { cwd: folder.path });
  const made = join(folder.path, ".git");
  // Without the examples, but there, because some tests write hooks.
  rmSync(join(made, "hooks"), { recursive: true, force: true });
  mkdirSync(join(made, "hooks"));
  return made;
}

/** Options of git for tests: an identity, and no further process after a commit. */
export const gitOptions = ["user.name=t", "user.email=t@localhost", "maintenance.auto=false"].flatMap(
  (setting) => ["-c", setting],
);
