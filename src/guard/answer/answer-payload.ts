import type { NativeAnswer, ToolCall } from "../../contract/tool-call.ts";
import { readJsonBytes } from "../../core/text/read-json.ts";
import { judgeCall } from "../judge/judge-call.ts";
import { offlineAnswer } from "../ladder/offline-answer.ts";
import { guardPayloadBytesMax } from "../world/guard-endpoint.ts";
import type { GuardWorld } from "../world/guard-world.ts";
import { guardedClient, guardedClients } from "../world/guarded-clients.ts";

export interface Payload {
  readonly client: string;
  readonly bytes: Uint8Array;
  /** Where the client says no other. */
  readonly folder: string;
  /** What is guarded; opened when the call is known. */
  open(call: ToolCall): GuardWorld;
  /** Asked where the judgement failed; in doubt it is. */
  isActive(): Promise<boolean>;
  /** What is known of the project then. */
  project(): { readonly root: string; readonly stateFolder: string } | undefined;
}

/** One hook call of a client, from its own payload to its own answer; whatever fails is an answer too. */
export async function answerPayload(payload: Payload): Promise<NativeAnswer> {
  const { client, bytes, folder } = payload;
  const guarded = guardedClient(client);
  if (guarded === undefined) {
    const known = Object.keys(guardedClients).join(", ");
    return {
      stdout: "",
      stderr: `lockstep: R-IN-001: \`${client}\` is no client: one of ${known}\n`,
      exit: 2,
    };
  }
  try {
    const document = parsed(bytes);
    const call = guarded.parse(document, { folder });
    const world = payload.open(call);
    const { answer } = await judgeCall(call, world);
    const at = { root: world.place.root, environment: world.environment };
    const approved = answer.command !== undefined && guarded.approves?.(call, document, at) === true;
    return guarded.render(approved ? { ...answer, approved } : answer, call, document);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const isActive = await payload.isActive().catch(() => true);
    return offlineAnswer({ client, payload: bytes, folder, isActive, project: payload.project(), why });
  }
}

/** Undefined is no JSON document, and nothing that is too long is looked at: both are calls that nobody understands. */
function parsed(bytes: Uint8Array): unknown {
  if (bytes.length > guardPayloadBytesMax) return undefined;
  return readJsonBytes(bytes);
}
