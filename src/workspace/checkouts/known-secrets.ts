import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const lengthMin = 8;
const namesSecret = /key|token|secret|pass|pwd|credential|auth|dsn/i;
const beginsKey = /BEGIN [A-Z0-9 ]*PRIVATE KEY/;
const endsKey = /END [A-Z0-9 ]*PRIVATE KEY/;

/** Values that Lockstep itself gave to agents and checks, such as tokens. They are masked whatever they look like. */
export class KnownSecrets {
  readonly #values = new Set<string>();
  /** Tasks whose agent is printing a private key, line by line. */
  readonly #inKey = new Set<string>();

  add(value: string): void {
    if (value.length >= lengthMin) this.#values.add(value);
  }

  /** Adds values from `.env` files whose names look like secrets. */
  addFrom(root: string, files: readonly string[]): void {
    for (const file of files) {
      const path = join(root, file);
      if (!basename(file).startsWith(".env") || !existsSync(path)) continue;
      for (const line of readFileSync(path, "utf8").split("\n")) {
        const [, name = "", value = ""] = /^\s*(?:export\s+)?(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
        if (namesSecret.test(name)) this.add(value.replace(/^(["'])(.*)\1$/, "$2"));
      }
    }
  }

  mask(text: string): string {
    let masked = text;
    for (const value of this.#values) masked = masked.replaceAll(value, "[secret: known]");
    return masked;
  }

  /** Masks these values in all texts of a document. */
  maskIn<Document>(document: Document): Document {
    const text = JSON.stringify(document);
    const masked = text === undefined ? text : this.mask(text);
    return masked === text ? document : JSON.parse(masked);
  }

  /** As `mask`, for one line of an agent's output. Masks the lines of a private key, which no pattern recognises. */
  maskLine(task: string, line: string): string {
    const wasIn = this.#inKey.has(task);
    if (beginsKey.test(line) && !endsKey.test(line)) this.#inKey.add(task);
    if (endsKey.test(line)) this.#inKey.delete(task);
    return wasIn ? "[secret: private-key]" : this.mask(line);
  }
}
