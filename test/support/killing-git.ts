import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";

export interface KillingGit extends Disposable {
  readonly env: Readonly<Record<string, string>>;
  /** The number of started git processes. */
  started(): number;
  /** True once the git that killed has ended too. */
  isOver(): boolean;
}

/**
 * A git on PATH whose n-th start kills its parent process (0: none does). That git does nothing, or continues without
 * its parent. The points are the same on a slow and on a fast machine.
 */
export function killingGit(at: number, then: "dies too" | "works on" = "dies too"): KillingGit {
  const folder = temporaryFolder({ starts: "" });
  const starts = join(folder.path, "starts");
  const git = join(folder.path, "git");
  const PATH = process.env.PATH ?? "";
  const over = join(folder.path, "over");
  const rest = then === "dies too" ? "true" : 'git "$@"';
  writeFileSync(
    git,
    [
      "#!/bin/sh",
      `PATH='${PATH}'; export PATH`,
      `printf x >> '${starts}'`,
      at === 0
        ? ""
        : `[ "$(wc -c < '${starts}')" -ge ${at} ] && { kill -9 $PPID; ${rest}; touch '${over}'; exit 1; }`,
      'exec git "$@"\n',
    ].join("\n"),
  );
  chmodSync(git, 0o700);
  return {
    env: { PATH: `${folder.path}${delimiter}${PATH}` },
    started: () => readFileSync(starts, "utf8").length,
    isOver: () => existsSync(over),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
