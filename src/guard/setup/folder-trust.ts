import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { ClientName } from "../../contract/client-names.ts";
import { type JsonNode, member, readJsonTree } from "../../core/text/json-tree.ts";
import type { Machine } from "./find-clients.ts";

/** A client silently skips the hooks of folders that its user has not trusted. */
export interface Distrust {
  readonly why: string;
  readonly fix: string;
}

/** Whether the client trusts the project's folder. Null: it has no folder trust, or `lockstep init` sets it. */
const trusts: Readonly<Record<ClientName, ((root: string, home: string) => boolean) | null>> = {
  claude: null,
  codex: null,
  gemini: geminiTrusts,
  opencode: null,
  copilot: copilotTrusts,
  cursor: null,
};

/** Undefined if the client runs the project's hooks. */
export function findDistrust(name: ClientName, { root, home }: Machine): Distrust | undefined {
  if (trusts[name]?.(root, home) ?? true) return undefined;
  return {
    why: `${name} does not trust ${root}, and silently skips its hooks`,
    fix: `start \`${name}\` in ${root} once and confirm that you trust this folder`,
  };
}

/** The longest matching rule decides. `TRUST_PARENT` applies to the parent of the folder that it names. */
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

/** Undefined if the file is missing or unreadable; then nothing is trusted. */
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
