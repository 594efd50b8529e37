import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, relative } from "node:path";
import { runProcess } from "../../workspace/process/run-process.ts";
import type { Edit } from "./edits.ts";

const msMax = 10_000;
const diffBytesMax = 16 * 1024 * 1024;

/** The edits as a git diff. `secret` is not shown. */
export async function showDiff(
  edits: readonly Edit[],
  { root, home, secret, colour }: { root: string; home: string; secret: string | undefined; colour: boolean },
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-diff-"));
  try {
    for (const name of ["a", "b"]) mkdirSync(join(folder, name));
    for (const { file, before, after } of edits)
      for (const [name, text] of [["a", before] as const, ["b", after] as const]) {
        if (text === null) continue;
        const path = join(folder, name, shownName(file, { root, home }));
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, secret === undefined ? text : text.replaceAll(secret, "…"), { mode: 0o600 });
      }
    const words = [
      "diff",
      "--no-index",
      "--no-prefix",
      colour ? "--color=always" : "--color=never",
      "a",
      "b",
    ];
    const { exit, tail } = await runProcess({
      command: ["git", "-c", "core.quotePath=false", ...words],
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
      msMax,
      tailBytesMax: diffBytesMax,
    });
    if (exit === 0 || exit === 1) return tail;
    throw new Error(`git could not show the changes: ${tail.trim()}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Relative to the project's root, relative to `~`, or absolute. */
export function shownName(file: string, { root, home }: { root: string; home: string }): string {
  if (!isAbsolute(file)) return file;
  for (const [folder, name] of [[root, ""] as const, [home, "~"] as const]) {
    const below = relative(folder, file);
    if (!below.startsWith("..") && !isAbsolute(below)) return join(name, below);
  }
  return file;
}
