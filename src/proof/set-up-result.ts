import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isNetworkFailure, networkHint } from "../core/proof/network-failure.ts";
import { hasInstallScript } from "../core/proof/setup-inputs.ts";
import { maskSecrets } from "../core/secrets/mask-secrets.ts";
import type { Included } from "../workspace/checkouts/included-files.ts";
import { keepOutput } from "../workspace/state/check-outputs.ts";
import type { CommitSetup } from "./read-setup.ts";

/** By what a set-up's result is found again. Folders that were included lie among what it left. */
export function resultKeys({ key, keyUnlessScripts }: CommitSetup, { folders }: Included) {
  const marked = (one: string) =>
    folders.length === 0
      ? one
      : createHash("sha256")
          .update(JSON.stringify([one, folders]))
          .digest("hex");
  return { own: marked(key), shared: keyUnlessScripts && marked(keyUnlessScripts) };
}

/** By the lock file that npm leaves beside what it installed. */
export function ranNoScript(folder: string): boolean {
  const file = join(folder, "node_modules", ".package-lock.json");
  return existsSync(file) && !hasInstallScript(readFileSync(file, "utf8"));
}

/** Why a set-up failed, by the line of its output that says so; all of it is kept. */
export async function setUpFault(
  command: readonly string[],
  output: string,
  { commonFolder, passed }: { readonly commonFolder: string; readonly passed: readonly string[] },
): Promise<string> {
  const masked = await maskSecrets(output);
  const lines = masked.trim().split("\n");
  const told = lines.find(
    (line) =>
      /\b(?:error|cannot|can only|not found|failed|fatal)\b/i.test(line) &&
      !/debug-0\.log|code E\w+$/.test(line),
  );
  const cause = (told ?? lines.at(-1) ?? "no output").trim();
  const next = isNetworkFailure(output)
    ? networkHint(passed)
    : "fix it, or write another into `workspace.setup` (`[]` installs nothing)";
  const log = keepOutput(join(commonFolder, "lockstep"), masked);
  return `the set-up \`${command.join(" ")}\` failed: ${cause} (all of it: ${log}); ${next}`;
}
