import { createHash } from "node:crypto";
import type { CheckRun } from "../core/proof/check-record.ts";

/** A pass, with what it is found by. */
interface PassedRun extends CheckRun {
  readonly key: string;
  readonly command: string;
  readonly tree: string;
  readonly exit: 0;
}

/** Where passes are kept. Failures are not: each is run again. */
export interface Reuse {
  find(key: string): Promise<CheckRun | undefined>;
  keep(run: PassedRun): Promise<void>;
}

/** As long as the process lives. */
export function reuseInMemory(): Reuse {
  const kept = new Map<string, CheckRun>();
  return {
    find: async (key) => kept.get(key),
    keep: async (run) => void kept.set(run.key, run),
  };
}

/** Everything that the outcome of a check is made from. */
export interface CheckInputs {
  readonly tree: string;
  readonly command: string;
  readonly setupKey: string;
  readonly files: readonly { readonly path: string; readonly bytes: Buffer }[];
  readonly env: Readonly<Record<string, string>>;
  /** What the check is told about the change. */
  readonly told: readonly string[];
}

export function reuseKey({ tree, command, setupKey, files, env, told }: CheckInputs): string {
  const contents = files.map(({ path, bytes }) => [path, createHash("sha256").update(bytes).digest("hex")]);
  // A command that asks what changed is another one for each change.
  const asked = command.includes("LOCKSTEP_") ? told : [];
  const machine = [process.platform, process.arch, process.version];
  const inputs = [tree, command, setupKey, contents, Object.entries(env).sort(), asked, machine];
  return createHash("sha256").update(JSON.stringify(inputs)).digest("hex");
}
