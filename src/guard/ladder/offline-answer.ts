import { readJsonBytes } from "../../core/text/read-json.ts";
import { readGuardSettings } from "../guard-settings.ts";
import { guardedClients } from "../guarded-clients.ts";
import type { GuardedClient, NativeAnswer, ToolCall } from "../tool-call.ts";

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
  const guarded = clientOf(client);
  const warning = `lockstep: the guard could not be asked: ${why}`;
  if (!isActive) return { ...pass, stderr: `${warning}; nothing is active, so the call goes on` };
  if (guarded === undefined) return { stdout: "", stderr: `${warning}; \`${client}\` is no client`, exit: 2 };
  const document = readJsonBytes(payload);
  const call = guarded.parse(document, { folder });
  if (!changesSomething(call)) return pass;
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

function clientOf(name: string): GuardedClient | undefined {
  return Object.hasOwn(guardedClients, name)
    ? guardedClients[name as keyof typeof guardedClients]
    : undefined;
}

function changesSomething({ event, operation }: ToolCall): boolean {
  if (event === "settings-change") return true;
  if (event !== "before-tool" && operation.kind !== "malformed") return false;
  switch (operation.kind) {
    case "none":
    case "read":
    case "spawn":
      return false;
    case "unknown":
      return !operation.reads;
    default:
      return true;
  }
}
