import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../contract/config.ts";
import { defaultConfig } from "../../contract/default-config.ts";
import { faultLine } from "../../workspace/config/config-fault.ts";
import { readConfigFile } from "../../workspace/config/read-config-file.ts";
import { replaceFile } from "../../workspace/files/replace-file.ts";
import type { GuardSettings } from "./guard-world.ts";

const cacheFile = "guard-settings.json";
/** The format version of the cache. Changing it makes older cached settings invalid. */
const form = "3\n";

/**
 * The guard's part of the configuration. Parsing YAML takes longer than a hook may, so the result is cached next to the
 * ledger until the file changes.
 */
export async function readGuardSettings(root: string, stateFolder: string): Promise<GuardSettings> {
  const file = readConfigFile(root, ".lockstep/config.yaml");
  if (file === undefined) return settingsOf(defaultConfig);
  const digest = "text" in file ? createHash("sha256").update(form).update(file.text).digest("hex") : "";
  const kept = readKept(stateFolder);
  if (kept !== undefined && digest !== "" && kept.digest === digest) return kept.settings;
  const { loadConfig } = await import("../../workspace/config/load-config.ts");
  const loaded = await loadConfig(root);
  if ("faults" in loaded)
    throw Object.assign(new Error(loaded.faults.map(faultLine).join("; ")), { code: "E-CONFIG" });
  const settings = settingsOf(loaded.config);
  keep(stateFolder, { digest, settings });
  return settings;
}

function settingsOf({ guard, limits }: Pick<Config, "guard" | "limits">): GuardSettings {
  return {
    onDeny: guard.on_deny,
    unclaimed: guard.unclaimed,
    opaque: guard.opaque,
    protectedPaths: guard.protected,
    coordination: guard.coordination,
    root: guard.root,
    onError: guard.on_error,
    sameError: limits.same_error,
    reviewRetries: limits.review_retries,
    tokens: limits.tokens,
    programs: guard.programs,
  };
}

interface Kept {
  readonly digest: string;
  readonly settings: GuardSettings;
}

function readKept(folder: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, cacheFile), "utf8"));
  } catch {
    return undefined; // missing or incomplete: the configuration is read again
  }
}

function keep(folder: string, kept: Kept): void {
  try {
    replaceFile(join(folder, cacheFile), JSON.stringify(kept));
  } catch {} // the folder is missing inside the sandbox: the next call reads the configuration again
}
