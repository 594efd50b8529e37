import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DesignDocument } from "../../ledger/decision-data.ts";

/** Stores the text under its digest, so that a later version can be compared with it. */
export function keepVersion(stateFolder: string, file: string, text: string): DesignDocument {
  const digest = createHash("sha256").update(text).digest("hex");
  const path = versionPath(stateFolder, digest);
  if (!existsSync(path)) {
    mkdirSync(join(stateFolder, "designs"), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600 });
  }
  return { file, digest };
}

export function versionPath(stateFolder: string, digest: string): string {
  return join(stateFolder, "designs", digest);
}
