import { realpathSync } from "node:fs";
import { join } from "node:path";
import { marked } from "../../clients/settings/hook-entries.ts";
import { clientSetups } from "./client-setups.ts";
import { type CodexHook, codexHome, listCodexHooks, withTrust } from "./codex-hooks.ts";
import { Edits } from "./edits.ts";
import { isInstalled, type Machine } from "./find-clients.ts";
import { type Places, readSettings, writeEdits } from "./write-edits.ts";

const again = "then run `lockstep init` again";

/** Codex skips hooks that its user has not trusted. Returns a note for each problem that remains. */
export async function trustCodexHooks(
  machine: Machine,
  { command, places }: { readonly command: string; readonly places: Places },
): Promise<{ readonly changed: boolean; readonly notes: readonly string[] }> {
  const untrusted = "codex skips the hooks in .codex/config.toml: they are not trusted yet";
  const failed = (note: string) => ({ changed: false, notes: [`${untrusted}; ${note}`] });
  if (!isInstalled("codex", machine))
    return failed(`install codex, ${again}, or trust them with \`/hooks\` in codex`);
  let hooks: readonly CodexHook[];
  try {
    hooks = await ourCodexHooks(machine.root, command);
  } catch (error) {
    return failed(
      `codex could not be asked: ${(error as Error).message}; trust them with \`/hooks\` in codex`,
    );
  }
  if (hooks.length === 0)
    return failed(`codex does not trust this folder: start \`codex\` here once and trust it, ${again}`);
  const edits = new Edits((file) => readSettings(file, places));
  const file = userFile();
  if (hooks.some(({ trusted }) => !trusted))
    edits.change(file, (text) => withTrust(text, hooks, { file, projects: projectFiles(machine.root) }));
  const changes = edits.all();
  writeEdits(changes, places, undefined);
  return { changed: changes.length > 0, notes: [] };
}

/** Only hooks with exactly the command that was written; any other command was not reviewed. */
export async function ourCodexHooks(root: string, command: string): Promise<readonly CodexHook[]> {
  const hooks = await listCodexHooks(root, projectFiles(root));
  return hooks.filter((hook) => hook.command === marked(command));
}

export function planDistrust(edits: Edits, root: string): void {
  const file = userFile();
  edits.change(file, (text) =>
    text === null ? null : withTrust(text, [], { file, projects: projectFiles(root) }),
  );
}

/** Checked before anything is written, so that an unreadable file stops the whole setup. */
export function expectReadable(edits: Edits): void {
  const file = userFile();
  edits.change(file, (text) => {
    const read = text === null ? null : withTrust(text, [], { file, projects: [] });
    return read === null || read.ok ? text : read;
  });
}

export function userFile(): string {
  return join(codexHome(), "config.toml");
}

function projectFiles(root: string): readonly string[] {
  const { shared } = clientSetups.codex.files;
  return [...new Set([join(root, shared), join(realpathSync(root), shared)])];
}
