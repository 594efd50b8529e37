import { writeAll } from "../output/descriptor.ts";

/** Alternate screen, hidden cursor, no line wrapping; `leave` undoes all of it. */
const enter = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J";
const leave = "\u001b[?7h\u001b[?25h\u001b[?1049l";

/** Draws on a terminal in place and writes only changed lines. Restores the terminal when the process ends. */
export class Screen implements Disposable {
  readonly #terminal: NodeJS.WriteStream & { fd: 1 | 2 };
  readonly #onLeave: () => void;
  #drawn: readonly string[] = [];
  #open = false;

  /** `onLeave`: called when the terminal is restored. */
  constructor(terminal: NodeJS.WriteStream & { fd: 1 | 2 }, onLeave: () => void = () => {}) {
    this.#terminal = terminal;
    this.#onLeave = onLeave;
    this.open();
  }

  get size(): { readonly columns: number; readonly rows: number } {
    return { columns: this.#terminal.columns || 80, rows: this.#terminal.rows || 24 };
  }

  open(): void {
    if (this.#open) return;
    this.#open = true;
    this.#drawn = [];
    this.#terminal.on("resize", this.#forget);
    process.on("exit", this.#close);
    this.#write(enter);
  }

  draw(lines: readonly string[]): void {
    if (!this.#open) return;
    const count = Math.max(lines.length, this.#drawn.length);
    let changes = "";
    for (let row = 0; row < count; row += 1) {
      const line = lines[row] ?? "";
      // Cleared first: after a full line the cursor is still on its last character.
      if (line !== (this.#drawn[row] ?? "")) changes += `\u001b[${row + 1};1H\u001b[2K${line}`;
    }
    this.#drawn = lines;
    if (changes !== "") this.#write(changes);
  }

  close(): void {
    this.#close();
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  readonly #close = () => {
    if (!this.#open) return;
    this.#open = false;
    this.#terminal.off("resize", this.#forget);
    process.off("exit", this.#close);
    this.#write(leave);
    this.#onLeave();
  };

  /** After a resize the terminal may have moved lines, so everything is drawn again. */
  readonly #forget = () => {
    this.#drawn = [];
    this.#write("\u001b[2J");
  };

  #write(text: string): void {
    writeAll(this.#terminal.fd, text);
  }
}
