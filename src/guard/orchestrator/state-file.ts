import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, utimesSync } from "node:fs";
import { replaceFile } from "../../workspace/files/replace-file.ts";
import { type OrchestratorState, parseState, stateBytesMax } from "./state.ts";

export type StateFile =
  | { readonly kind: "absent" }
  | { readonly kind: "corrupt" }
  | { readonly kind: "state"; readonly state: OrchestratorState; readonly usedMs: number };

const attemptsMax = 3;
const pauseMs = 10;
const passing = ["EBUSY", "EPERM", "EACCES", "EINTR", "EAGAIN", "EMFILE", "ENFILE"];
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** The file is read anew for every call, so that manual changes are noticed. */
export function readStateFile(file: string): StateFile {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
    if (code === "ELOOP") return { kind: "corrupt" };
    throw error;
  }
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile() || found.size > stateBytesMax) return { kind: "corrupt" };
    const state = parseState(readFileSync(descriptor, "utf8"), found.mtime);
    return state === undefined ? { kind: "corrupt" } : { kind: "state", state, usedMs: found.mtimeMs };
  } finally {
    closeSync(descriptor);
  }
}

/** Replaces the file atomically. */
export function writeWhole(file: string, document: unknown): void {
  retrying(() => replaceFile(file, `${JSON.stringify(document, null, 2)}\n`));
}

export function touch(file: string, now: Date): void {
  utimesSync(file, now, now);
}

/** Keeps a corrupt file under another name, for a person to inspect. */
export function setAside(file: string, now: Date): void {
  for (let ms = now.getTime(); ; ms += 1) {
    const aside = `${file}.corrupt-${ms}`;
    if (readStateFile(aside).kind !== "absent") continue;
    renameSync(file, aside);
    return;
  }
}

function retrying(act: () => void): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      act();
      return;
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (attempt >= attemptsMax || !passing.includes(code)) throw error;
      Atomics.wait(sleeper, 0, 0, pauseMs);
    }
  }
}
