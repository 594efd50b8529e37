import type { NativeAnswer, ToolCall } from "../../contract/tool-call.ts";
import { readJsonBytes } from "../../core/text/read-json.ts";
import { mayChange } from "../judge/may-change.ts";
import { readGuardSettings } from "../world/guard-settings.ts";
import { guardedClient } from "../world/guarded-clients.ts";

interface Offline {
  readonly client: string;
  readonly payload: Uint8Array;
  /** The folder of the call, if the payload does not name one. */
  readonly folder: string;
  readonly isActive: boolean;
  /** Why a call is allowed if it is not active. */
  readonly idle?: string;
  /** The project whose configuration says what a failing guard does; if undefined, it refuses. */
  readonly project: { readonly root: string; readonly stateFolder: string } | undefined;
  /** Why the guard could not be asked. */
  readonly why: string;
}

const pass: NativeAnswer = { stdout: "", stderr: "", exit: 0 };

/**
 * The answer of a hook that could not ask the guard: while anything is active, it refuses calls that may change
 * something.
 */
export async function offlineAnswer(offline: Offline): Promise<NativeAnswer> {
  const { client, payload, folder, isActive, why, idle = "nothing is active" } = offline;
  const guarded = guardedClient(client);
  const warning = `lockstep: the guard could not be asked: ${why}`;
  if (!isActive) return { ...pass, stderr: `${warning}; ${idle}, so the call is allowed` };
  if (guarded === undefined)
    return { stdout: "", stderr: `${warning}; \`${client}\` is not a known client`, exit: 2 };
  const document = readJsonBytes(payload);
  const call = guarded.parse(document, { folder });
  if (!(await isRefused(call))) return pass;
  if (await isOpen(offline))
    return { ...pass, stderr: `${warning}; \`guard.on_error\` is \`open\`, so the call is allowed` };
  const reason = `${warning}, so this call is refused while work is active here; run \`lockstep status\` to see the active work`;
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

/** Events after a call are not refused. */
async function isRefused(call: ToolCall): Promise<boolean> {
  if (call.event === "settings-change") return true;
  return (call.event === "before-tool" || call.operation.kind === "malformed") && (await mayChange(call));
}
