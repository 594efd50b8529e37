import { join } from "node:path";
import { createHead, type Head, HeadFile, type HeadPlace, type ReadHead, readHead } from "./audit-head.ts";

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
  readonly #place: HeadPlace;
  #file: HeadFile | "not writable" | undefined;

  /** With the ledger's secret, the copy is signed. */
  constructor(folder: HeadsFolder, ledger: string, secret?: string) {
    this.path = join(folder.path, ledger);
    this.#folder = folder;
    this.#place = { folder: folder.path, name: ledger, secret };
  }

  /** A place that cannot be read knows nothing. */
  read(): ReadHead {
    try {
      return readHead(this.#place);
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
    createHead(this.#place, head);
    return new HeadFile(this.#place);
  }

  [Symbol.dispose](): void {
    if (this.#file !== "not writable") this.#file?.[Symbol.dispose]();
  }
}
