import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type JsonNode, member, readJsonTree } from "../../core/text/json-tree.ts";
import type { ClientName } from "./client-setups.ts";
import type { Machine } from "./find-clients.ts";

/** A client that skips the hooks of folders that its user has not trusted, without a word. */
export interface Distrust {
  readonly why: string;
  readonly fix: string;
}

/** Undefined where the client calls the project's hooks, or knows no such trust of its own. */
export function findDistrust(name: ClientName, { root, home }: Machine): Distrust | undefined {
  if (name !== "gemini" && name !== "copilot") return undefined;
  const isTrusted = name === "gemini" ? geminiTrusts(root, home) : copilotTrusts(root, home);
  if (isTrusted) return undefined;
  return {
    why: `${name} does not trust ${root}, and skips its hooks without a word`,
    fix: `start \`${name}\` in ${root} once and answer that you trust this folder`,
  };
}

/** The longest rule that fits decides; `TRUST_PARENT` speaks for the folder around the one that it names. */
function geminiTrusts(root: string, home: string): boolean {
  const settings = documentIn(join(home, ".gemini", "settings.json"));
  const asks = ["security", "folderTrust", "enabled"].reduce(
    (node, key) => node && member(node, key)?.value,
    settings?.node,
  );
  if (asks !== undefined && settings?.text.slice(asks.start, asks.end) === "false") return true;
  const file = process.env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(home, ".gemini", "trustedFolders.json");
  const rules = documentIn(file)?.node.children ?? [];
  const [fitting] = rules
    .filter(({ key, value }) => isWithin(root, value.text === "TRUST_PARENT" ? dirname(key) : key))
    .toSorted((one, other) => other.key.length - one.key.length);
  return fitting?.value.text === "TRUST_FOLDER" || fitting?.value.text === "TRUST_PARENT";
}

function copilotTrusts(root: string, home: string): boolean {
  const config = documentIn(join(process.env.COPILOT_HOME || join(home, ".copilot"), "config.json"))?.node;
  if (config === undefined) return false;
  return ["trustedFolders", "trusted_folders"]
    .flatMap((key) => member(config, key)?.value.children ?? [])
    .some(({ value }) => value.text !== undefined && isWithin(root, value.text));
}

/** Undefined where it is not there, or nobody can read it: then it trusts nothing. */
function documentIn(file: string): { readonly text: string; readonly node: JsonNode } | undefined {
  try {
    const text = readFileSync(file, "utf8");
    return { text, node: readJsonTree(text, { comments: true }) };
  } catch {
    return undefined;
  }
}

function isWithin(path: string, folder: string): boolean {
  const [inner, outer] = [path, folder].map((one) => (existsSync(one) ? realpathSync(one) : resolve(one)));
  return inner === outer || outer === "/" || inner?.startsWith(`${outer}/`) === true;
}
