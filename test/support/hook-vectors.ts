import { readFileSync } from "node:fs";

export interface HookVector {
  readonly name: string;
  readonly hook: string;
  readonly payload: unknown;
  readonly code: string;
  /** Sent instead of the payload, as it stands. */
  readonly raw?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** `<+>` keeps what looks like a secret from standing in the file whole. */
export const hookVectors: readonly HookVector[] = JSON.parse(
  readFileSync(new URL("../vectors/hooks.json", import.meta.url), "utf8").replaceAll("<+>", ""),
);
