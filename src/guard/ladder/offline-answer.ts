import type { NativeAnswer, ToolCall } from "../../contract/tool-call.ts";
import { readJsonBytes } from "../../core/text/read-json.ts";
import { mayChange } from "../judge/may-change.ts";
import { readGuardSettings } from "../world/guard-settings.ts";
import { guardedClient } from "../world/guarded-clients.ts";

interface Offline {
  readonly client: string;
  readonly payload: Uint8Array;
  /** Of the call, where the payload does not say it. */
  readonly folder: string;
  readonly isActive: boolean;
  /** Whose configuration says what a failing guard does; where that is not known, it refuses. */
  readonly project: { readonly root: string; readonly stateFolder: string } | undefined;
  /** Why the guard could not be asked. */
  readonly why: string;
}

const pass: NativeAnswer = { stdout: "", stderr: "", exit: 0 };

/** What a hook says that could not ask the guard: no to what would change something while anything is active. */
export async function offlineAnswer(offline: Offline): Promise<NativeAnswer> {
  const { client, payload, folder, isActive, why } = offline;
  const guarded = guardedClient(client);
  const warning = `lockstep: the guard could not be asked: ${why}`;
  if (!isActive) return { ...pass, stderr: `${warning}; nothing is active, so the call goes on` };
  if (guarded === undefined) return { stdout: "", stderr: `${warning}; \`${client}\` is no client`, exit: 2 };
  const document = readJsonBytes(payload);
  const call = guarded.parse(document, { folder });
  if (!(await isRefused(call))) return pass;
  if (await isOpen(offline))
    return { ...pass, stderr: `${warning}; \`guard.on_error\` is \`open\`, so the call goes on` };
  const reason = `${warning}, so this is refused while work is active here; \`lockstep status\` says what is`;
  return guarded.render({ allow: false, reason }, call, document);
}

async function isOpen({ project }: Offline): Promise<boolean> {
  if (project === undefined) return false;
  try {
    return (await readGuardSettings(project.root, project.stateFolder)).onError === "open";
  } catch {
    return false; // the configuration may be what failed
  }
}

/** What has happened already is not refused any more. */
async function isRefused(call: ToolCall): Promise<boolean> {
  if (call.event === "settings-change") return true;
  return (call.event === "before-tool" || call.operation.kind === "malformed") && (await mayChange(call));
}
