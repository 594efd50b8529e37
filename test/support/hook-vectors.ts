import { readFileSync } from "node:fs";

export interface HookVector {
  readonly name: string;
  readonly hook: string;
  readonly payload: unknown;
  readonly code: string;
  /** Sent unchanged instead of the payload. */
  readonly raw?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** `<+>` interrupts texts that look like a secret, so that no file contains one. */
export const hookVectors: readonly HookVector[] = JSON.parse(
  readFileSync(new URL("../vectors/hooks.json", import.meta.url), "utf8").replaceAll("<+>", ""),
);
