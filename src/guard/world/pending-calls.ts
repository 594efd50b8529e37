import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { callFile, readCallFile, writeCallFile } from "./call-file.ts";

/** A call that may have written anything, and that nobody has compared yet. */
export interface PendingCall {
  readonly name: string;
  /** The task or the agent whose call it is. */
  readonly owner: string;
  readonly session: string | null;
  readonly atMs: number;
  /** The client has told that it is over. */
  readonly isOver: boolean;
  /** When it was last compared while it may still have been at work. */
  readonly seenMs: number;
}

export type CallOwner = Pick<PendingCall, "owner" | "session">;

/** One small file a call, so that the next call finds what is left to do without reading a picture. */
export class PendingCalls {
  readonly #folder: string;

  /** In the folder of the pictures. */
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

  /** Whether a picture belongs to such a call. */
  needs(picture: string): boolean {
    return existsSync(join(this.#folder, basename(picture)));
  }

  #write(call: PendingCall): void {
    writeCallFile(callFile(this.#folder, call.name), call);
  }
}

/** So long a call may be at work without anybody wondering. */
const workMsMax = 10 * 60 * 1000;

/** The calls that ended, or seem to, and that nobody has compared: what they wrote outside their lock is still there. */
export function uncomparedCalls(trees: string, nowMs: number): readonly PendingCall[] {
  return new PendingCalls(trees).all().filter(({ isOver, atMs }) => isOver || nowMs - atMs > workMsMax);
}

/** For a person; undefined where there are none. */
export function uncomparedText(calls: readonly PendingCall[]): string | undefined {
  const [oldest] = calls;
  if (oldest === undefined) return undefined;
  const many = calls.length === 1 ? "1 call was" : `${calls.length} calls were`;
  return `${many} not compared with the tree before, the oldest of ${oldest.owner} at ${new Date(oldest.atMs).toISOString()}`;
}

export const wayToCompare =
  "they are compared when their agent makes its next call or stops; if it does not, see what `git status` shows, end its task, and run `lockstep clean --older 0`";
