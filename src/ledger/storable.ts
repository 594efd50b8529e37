import { InvariantBroken } from "./invariant-broken.ts";

/** SQLite would truncate a text at a NUL, and would replace unpaired surrogates; PostgreSQL refuses both. */
export function assertStorable(text: string): void {
  if (text.includes("\0") || !text.isWellFormed())
    throw new InvariantBroken(`\`${JSON.stringify(text)}\` cannot be stored as a name`);
}
