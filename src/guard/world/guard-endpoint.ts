import type { NativeAnswer } from "../../contract/tool-call.ts";

/**
 * Handles one hook call, from the client's payload to the client's answer. Internal failures are answers too. If the
 * endpoint throws, the caller treats that as a failed guard.
 */
export type GuardEndpoint = (
  client: string,
  payload: Uint8Array,
  env: Readonly<Record<string, string>>,
) => Promise<NativeAnswer>;

/**
 * The environment variables of a hook that identify the caller and its folder, each with its HTTP header. Nothing else is
 * sent, stored or logged. Clients that call over HTTP are never in a checkout of Lockstep's, and name their folder in
 * the payload.
 */
const variables: Readonly<Record<string, string | null>> = {
  LOCKSTEP_TASK: "X-Lockstep-Task",
  LOCKSTEP_EPOCH: "X-Lockstep-Epoch",
  LOCKSTEP_TOKEN: "X-Lockstep-Token",
  CLAUDE_AGENT_ROLE: "X-Lockstep-Role",
  CLAUDE_AGENT_NAME: "X-Lockstep-Name",
  LOCKSTEP_CHECKOUT: null,
  TMPDIR: "X-Lockstep-Tmpdir",
  PATH: "X-Lockstep-Path",
  PWD: null,
};

export const guardVariables: readonly string[] = Object.keys(variables);

export const guardHeaders: readonly { readonly header: string; readonly name: string }[] = Object.entries(
  variables,
).flatMap(([name, header]) => (header === null ? [] : [{ header, name }]));

export const guardPayloadBytesMax = 1024 * 1024;
