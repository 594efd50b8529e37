import type { SettingsEdit } from "../../clients/settings/settings-edit.ts";
import { faultLine } from "../../workspace/config/config-fault.ts";

/** The text of one file before and after; null if the file does not exist. */
export interface Edit {
  readonly file: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A file that a person wrote prevents the setup. The message says where; nothing was written. */
export class SetupFault extends Error {
  override readonly name = "SetupFault";
  readonly code = "E-CONFIG";
}

/** All edits of one `init`. They are computed before any is written, so that either all are made or none. */
export class Edits {
  readonly #read: (file: string) => string | null;
  readonly #edits = new Map<string, Edit>();
  readonly #faults: string[] = [];

  /** `read` returns a file's text, or throws a SetupFault if the file cannot be used. */
  constructor(read: (file: string) => string | null) {
    this.#read = read;
  }

  /** The text after all edits so far. */
  text(file: string): string | null {
    const edit = this.#edits.get(file);
    return edit === undefined ? this.#read(file) : edit.after;
  }

  set(file: string, after: string | null): void {
    const before = this.#edits.get(file)?.before ?? this.#read(file);
    this.#edits.set(file, { file, before, after });
  }

  /**
   * Applies an edit. If the file is invalid, later edits are still checked, so that all faults are reported at once.
   */
  change(file: string, edit: (text: string | null) => SettingsEdit | string | null): void {
    try {
      const edited = edit(this.text(file));
      if (edited === null || typeof edited === "string") this.set(file, edited);
      else if (edited.ok) this.set(file, edited.text);
      else this.#faults.push(faultLine(edited.fault));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "E-CONFIG")) throw error;
      this.#faults.push(error instanceof SetupFault ? error.message : `${file}: ${error.message}`);
    }
  }

  /** The edits that change something. Throws if a file could not be read. */
  all(): readonly Edit[] {
    if (this.#faults.length > 0) throw new SetupFault(this.#faults.join("\n"));
    return [...this.#edits.values()].filter(({ before, after }) => before !== after);
  }
}
