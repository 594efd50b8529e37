import { builtInRoles } from "../../clients/roles/role-prompt.ts";
import { withBlock as withMarkedBlock } from "../../clients/settings/marked-block.ts";
import type { ClientName } from "../../contract/client-names.ts";
import { selfCheckBlock, withBlock } from "../orchestrator/self-check-block.ts";
import { wrapperFiles } from "../orchestrator/wrapper-files.ts";
import { type ClientHook, clientSetups, guides } from "./client-setups.ts";
import { configTemplate } from "./config-template.ts";
import { type Edits, SetupFault } from "./edits.ts";

export const configFile = ".lockstep/config.yaml";
export const excludeBlock = "settings";

export interface PlannedClient {
  readonly name: ClientName;
  /** Relative to the project's root. */
  readonly file: string;
  readonly hook: ClientHook;
  /** A hint for the user. */
  readonly note?: string;
}

interface Setup {
  readonly clients: readonly PlannedClient[];
  readonly orchestrator: boolean;
  /** Whether to write the texts of the roles, for editing. */
  readonly roles: boolean;
  /** Whether to write the wrapper scripts of orchestrator projects. */
  readonly wrappers: boolean;
  /** Git's exclude file and the lines for per-user files; undefined if they are ignored already. */
  readonly exclude: { readonly file: string; readonly lines: readonly string[] } | undefined;
}

/** Plans everything that `lockstep init` writes, as edits of texts. */
export function planSetup(edits: Edits, setup: Setup): void {
  const { clients, orchestrator, wrappers, exclude } = setup;
  edits.change(configFile, (text) => text ?? configTemplate());
  if (setup.roles) for (const [file, ours] of builtInRoles()) edits.change(file, (text) => text ?? ours);
  for (const { name, file, hook } of clients)
    edits.change(file, (text) => clientSetups[name].install(text, hook, file));
  if (exclude !== undefined)
    edits.change(exclude.file, (text) => withMarkedBlock(text, excludeBlock, exclude.lines));
  if (!orchestrator) return;
  const wanted = new Set<string>(clients.map(({ name }) => clientSetups[name].guide));
  for (const guide of guides)
    edits.change(guide, (text) => (text !== null || wanted.has(guide) ? withSelfCheck(text) : null));
  if (wrappers)
    for (const [file, text] of wrapperFiles()) edits.change(file, (old) => wrapper(file, old, text));
}

/** In a file that was empty, the block has no final line break. That distinguishes it from a file that was missing. */
function withSelfCheck(text: string | null): string {
  return text === "" ? selfCheckBlock() : withBlock(text ?? "", selfCheckBlock());
}

function wrapper(file: string, old: string | null, text: string): string {
  if (old === null || old.includes("// Written by `lockstep init --orchestrator`")) return text;
  throw new SetupFault(
    `${file}: this file was not written by Lockstep: move it away, or remove \`guard.root\` from the configuration`,
  );
}
