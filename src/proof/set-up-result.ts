import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isNetworkFailure, networkHint } from "../core/proof/network-failure.ts";
import { hasInstallScript } from "../core/proof/setup-inputs.ts";
import { maskSecrets } from "../core/secrets/mask-secrets.ts";
import type { Included } from "../workspace/checkouts/included-files.ts";
import type { KnownSecrets } from "../workspace/checkouts/known-secrets.ts";
import { keepOutput } from "../workspace/state/check-outputs.ts";
import type { CommitSetup } from "./read-setup.ts";

/** The keys of a setup's result. They depend on the included folders, which are part of the result. */
export function resultKeys({ key, keyUnlessScripts }: CommitSetup, { folders }: Included) {
  const marked = (one: string) =>
    folders.length === 0
      ? one
      : createHash("sha256")
          .update(JSON.stringify([one, folders]))
          .digest("hex");
  return { own: marked(key), shared: keyUnlessScripts && marked(keyUnlessScripts) };
}

/** Whether no package ran an install script, according to the lock file that npm writes into `node_modules`. */
export function ranNoScript(folder: string): boolean {
  const file = join(folder, "node_modules", ".package-lock.json");
  return existsSync(file) && !hasInstallScript(readFileSync(file, "utf8"));
}

/** The message for a failed setup: the line of its output that names the cause, and the file with all of it. */
export async function setUpFault(
  command: readonly string[],
  output: string,
  {
    commonFolder,
    passed,
    secrets,
  }: {
    readonly commonFolder: string;
    readonly passed: readonly string[];
    readonly secrets: KnownSecrets;
  },
): Promise<string> {
  const masked = secrets.mask(await maskSecrets(output));
  const lines = masked.trim().split("\n");
  const line = lines.find(
    (one) =>
      /\b(?:error|cannot|can only|not found|failed|fatal)\b/i.test(one) &&
      !/debug-0\.log|code E\w+$/.test(one),
  );
  const cause = (line ?? lines.at(-1) ?? "no output").trim();
  const next = isNetworkFailure(output)
    ? networkHint(passed)
    : "fix it, or set another command in `workspace.setup` (`[]` installs nothing)";
  const log = keepOutput(join(commonFolder, "lockstep"), masked);
  return `the setup \`${command.join(" ")}\` failed: ${cause} (full output: ${log}); ${next}`;
}
