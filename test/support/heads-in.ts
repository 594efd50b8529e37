import { mkdirSync } from "node:fs";
import type { HeadsFolder } from "../../src/ledger/outside-head.ts";

/** A folder for heads that a test can read. */
export function headsIn(path: string): HeadsFolder {
  return { path, create: () => void mkdirSync(path, { recursive: true }) };
}
