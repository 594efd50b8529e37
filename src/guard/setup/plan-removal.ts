import { builtInRoles } from "../../clients/roles/role-prompt.ts";
import { withoutBlock as withoutMarkedBlock } from "../../clients/settings/marked-block.ts";
import type { ClientName } from "../../contract/client-names.ts";
import { withoutBlock } from "../orchestrator/self-check-block.ts";
import { wrapperFiles } from "../orchestrator/wrapper-files.ts";
import { clientSetups, guides } from "./client-setups.ts";
import { configTemplate } from "./config-template.ts";
import type { Edits } from "./edits.ts";
import { configFile, excludeBlock } from "./plan-setup.ts";

interface Removal {
  readonly clients: readonly ClientName[];
  /** True if everything is removed, not only some clients. */
  readonly whole: boolean;
  readonly exclude: string | undefined;
}

/** Removes what `lockstep init` wrote, and nothing else. Returns the files that were kept because they were changed. */
export function planRemoval(edits: Edits, { clients, whole, exclude }: Removal): readonly string[] {
  for (const name of clients) {
    const { files, uninstall } = clientSetups[name];
    for (const file of [files.personal, files.shared])
      if (file !== null) edits.change(file, (text) => (text === null ? null : uninstall(text, file)));
  }
  // Only clients with a per-user file have lines there.
  const hasLines = clients.some((name) => clientSetups[name].files.personal !== null);
  if (exclude !== undefined && hasLines)
    edits.change(exclude, (text) => (text === null ? null : withoutMarkedBlock(text, excludeBlock)));
  if (!whole) return [];
  const kept: string[] = [];
  for (const guide of guides) edits.change(guide, (text) => (text === null ? null : withoutSelfCheck(text)));
  for (const [file, ours] of [[configFile, configTemplate()] as const, ...wrapperFiles(), ...builtInRoles()])
    edits.change(file, (text) => {
      if (text === ours) return null;
      if (text !== null) kept.push(file);
      return text;
    });
  return kept;
}

function withoutSelfCheck(text: string): string | null {
  const bare = withoutBlock(text);
  return bare === "" && text.endsWith("\n") ? null : bare;
}
