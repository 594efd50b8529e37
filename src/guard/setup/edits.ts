import type { SettingsEdit } from "../../clients/settings/settings-edit.ts";
import { faultLine } from "../../workspace/config/config-fault.ts";

/** One file as it is and as it is to be; null: it is not there. */
export interface Edit {
  readonly file: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Something that a person wrote is in the way; the message says where, and nothing was written. */
export class SetupFault extends Error {
  override readonly name = "SetupFault";
  readonly code = "E-CONFIG";
}

/** All the edits of one `init`: computed before any of them is made, so that all or none can be. */
export class Edits {
  readonly #read: (file: string) => string | null;
  readonly #edits = new Map<string, Edit>();
  readonly #faults: string[] = [];

  /** `read` gives a file's text, or throws a SetupFault where it has none. */
  constructor(read: (file: string) => string | null) {
    this.#read = read;
  }

  /** The text as it is after all edits so far. */
  text(file: string): string | null {
    const edit = this.#edits.get(file);
    return edit === undefined ? this.#read(file) : edit.after;
  }

  set(file: string, after: string | null): void {
    const before = this.#edits.get(file)?.before ?? this.#read(file);
    this.#edits.set(file, { file, before, after });
  }

  /** An edit that may find the file unreadable; then the next ones are looked at too, to say all at once. */
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

  /** Those that change something; throws where any file could not be read. */
  all(): readonly Edit[] {
    if (this.#faults.length > 0) throw new SetupFault(this.#faults.join("\n"));
    return [...this.#edits.values()].filter(({ before, after }) => before !== after);
  }
}
