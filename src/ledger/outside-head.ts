import { join } from "node:path";
import { createHead, type Head, HeadFile, type ReadHead, readHead } from "./audit-head.ts";

/** A folder that is not restored together with a ledger. */
export interface HeadsFolder {
  readonly path: string;
  /** Makes it where it is missing. */
  create(): void;
}

/**
 * A copy of the head in another place: an older copy of the ledger and its own head together does not hide what is
 * missing. It has the name of its ledger, so that a new ledger at the same path has one of its own. The first change
 * that is made here creates it: a ledger that came from another place is taken as it is.
 */
export class OutsideHead implements Disposable {
  readonly path: string;
  readonly #folder: HeadsFolder;
  readonly #name: string;
  #file: HeadFile | "not writable" | undefined;

  constructor(folder: HeadsFolder, ledger: string) {
    this.path = join(folder.path, ledger);
    this.#folder = folder;
    this.#name = ledger;
  }

  /** A place that cannot be read knows nothing. */
  read(): ReadHead {
    try {
      return readHead(this.#folder.path, this.#name);
    } catch {
      return "missing";
    }
  }

  /** A place that cannot be written is not tried again, and fails no change: `lockstep doctor` tells of it. */
  advance(head: Head): void {
    if (this.#file === "not writable") return;
    try {
      this.#file ??= this.#open(head);
      this.#file.advance(head);
    } catch {
      this[Symbol.dispose]();
      this.#file = "not writable";
    }
  }

  #open(head: Head): HeadFile {
    this.#folder.create();
    createHead(this.#folder.path, head, this.#name);
    return new HeadFile(this.#folder.path, this.#name);
  }

  [Symbol.dispose](): void {
    if (this.#file !== "not writable") this.#file?.[Symbol.dispose]();
  }
}
