import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { callFile, readCallFile, writeCallFile } from "./call-file.ts";

/** A call that may have written anywhere and was not compared yet. */
export interface PendingCall {
  readonly name: string;
  /** The task or agent that made the call. */
  readonly owner: string;
  readonly session: string | null;
  readonly atMs: number;
  /** The client has reported its end. */
  readonly isOver: boolean;
  /** When it was last compared while it may still have been running. */
  readonly seenMs: number;
}

export type CallOwner = Pick<PendingCall, "owner" | "session">;

/** One small file for each call, so that the next call finds pending ones without reading a picture. */
export class PendingCalls {
  readonly #folder: string;

  /** `trees` is the folder of the pictures. */
  constructor(trees: string) {
    this.#folder = join(trees, "pending");
  }

  add(name: string, owner: CallOwner): void {
    const atMs = Date.now();
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#write({ name, ...owner, atMs, isOver: false, seenMs: atMs });
  }

  change(name: string, change: Partial<Pick<PendingCall, "isOver" | "seenMs">>): void {
    const known = readCallFile<PendingCall>(callFile(this.#folder, name));
    if (known !== undefined) this.#write({ ...known, ...change });
  }

  drop(name: string): void {
    rmSync(callFile(this.#folder, name), { force: true });
  }

  all(): readonly PendingCall[] {
    if (!existsSync(this.#folder)) return [];
    const files = readdirSync(this.#folder).filter((name) => /^before-[0-9a-f]+$/.test(name));
    const calls = files.flatMap((file) => readCallFile<PendingCall>(join(this.#folder, file)) ?? []);
    return calls.toSorted((one, other) => one.atMs - other.atMs);
  }

  /** Whether a picture belongs to a pending call. */
  needs(picture: string): boolean {
    return existsSync(join(this.#folder, basename(picture)));
  }

  #write(call: PendingCall): void {
    writeCallFile(callFile(this.#folder, call.name), call);
  }
}

/** A call may run this long without being reported. */
const workMsMax = 10 * 60 * 1000;

/** Calls that ended, or seem to have ended, and were not compared: their writes outside the lock are still there. */
export function uncomparedCalls(trees: string, nowMs: number): readonly PendingCall[] {
  return new PendingCalls(trees).all().filter(({ isOver, atMs }) => isOver || nowMs - atMs > workMsMax);
}

/** The message for a person; undefined if there are no such calls. */
export function uncomparedText(calls: readonly PendingCall[]): string | undefined {
  const [oldest] = calls;
  if (oldest === undefined) return undefined;
  const many = calls.length === 1 ? "1 call was" : `${calls.length} calls were`;
  return `${many} not checked for writes outside the lock, the oldest by ${oldest.owner} at ${new Date(oldest.atMs).toISOString()}`;
}

export const wayToCompare =
  "Lockstep checks them when their agent makes its next call or stops; if the agent is gone, review `git status`, end its task, and run `lockstep clean --older 0`";
