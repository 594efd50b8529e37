import { clientNames } from "../../contract/client-names.ts";
import type { NativeAnswer, ToolCall } from "../../contract/tool-call.ts";
import { readJsonBytes } from "../../core/text/read-json.ts";
import { isUnreachable } from "../../ledger/store-fault.ts";
import { judgeCall } from "../judge/judge-call.ts";
import { offlineAnswer } from "../transport/offline-answer.ts";
import { guardPayloadBytesMax } from "../world/guard-endpoint.ts";
import type { GuardWorld } from "../world/guard-world.ts";
import { guardedClient } from "../world/guarded-clients.ts";

export interface Payload {
  readonly client: string;
  readonly bytes: Uint8Array;
  /** Used if the payload names no folder. */
  readonly folder: string;
  /** Opens the guarded project once the call is parsed. */
  open(call: ToolCall): GuardWorld;
  /** Asked if judging failed. A failure here counts as active. */
  isActive(): Promise<boolean>;
  /** For a failure of a shared ledger: whether the caller has a task. Without it, the failure is like any other. */
  hasTask?(call: ToolCall): boolean;
  /** The project, as far as it is known then. */
  project(): { readonly root: string; readonly stateFolder: string } | undefined;
}

/** Handles one hook call, from the client's payload to the client's answer. Failures are answers too. */
export async function answerPayload(payload: Payload): Promise<NativeAnswer> {
  const { client, bytes, folder } = payload;
  const guarded = guardedClient(client);
  if (guarded === undefined) {
    const known = clientNames.join(", ");
    return {
      stdout: "",
      stderr: `lockstep: R-IN-001: \`${client}\` is not a known client: use one of ${known}\n`,
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
    const offline = { client, payload: bytes, folder, project: payload.project(), why };
    if (isUnreachable(error) && payload.hasTask !== undefined) {
      const hasTask = payload.hasTask(guarded.parse(parsed(bytes), { folder }));
      return offlineAnswer({ ...offline, isActive: hasTask, idle: "this session has no task" });
    }
    return offlineAnswer({ ...offline, isActive: await payload.isActive().catch(() => true) });
  }
}

/**
 * Undefined if the payload is too long or not JSON: such a call cannot be parsed and is refused while work is active.
 */
function parsed(bytes: Uint8Array): unknown {
  if (bytes.length > guardPayloadBytesMax) return undefined;
  return readJsonBytes(bytes);
}
