import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BoardRight } from "../../contract/board.ts";

/** A link can be used once, within this time. */
export const linkMsMax = 60_000;

const tokenForm = /^[\w-]{43}$/;
const fileForm = /^link-[0-9a-f]{64}$/;

/**
 * Makes a link token. Only its digest is written, into the state folder, which no sandbox shows: a process that can write
 * there could write the ledger itself.
 */
export function mintLink(folder: string, may: BoardRight): string {
  const place = boardFolder(folder);
  mkdirSync(place, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(place))
    if (fileForm.test(name) && isOver(join(place, name))) rmSync(join(place, name), { force: true });
  const token = randomBytes(32).toString("base64url");
  writeFileSync(linkFile(folder, token), may, { mode: 0o600, flag: "wx" });
  return token;
}

/** What the link allows; undefined if it is unknown, used or too old. Of several callers only one gets it. */
export function takeLink(folder: string, token: unknown): BoardRight | undefined {
  if (typeof token !== "string" || !tokenForm.test(token)) return undefined;
  const file = linkFile(folder, token);
  try {
    const isLate = isOver(file);
    const may = readFileSync(file, "utf8");
    unlinkSync(file);
    return isLate || (may !== "act" && may !== "look") ? undefined : may;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** The board's own files: links, and the keys of sessions. */
export function boardFolder(folder: string): string {
  return join(folder, "board");
}

function linkFile(folder: string, token: string): string {
  return join(boardFolder(folder), `link-${createHash("sha256").update(token).digest("hex")}`);
}

function isOver(file: string): boolean {
  const at = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Math.abs(Date.now() - at) > linkMsMax;
}
