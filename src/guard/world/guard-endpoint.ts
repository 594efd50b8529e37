import type { NativeAnswer } from "../../contract/tool-call.ts";

/**
 * One hook call of a client, from its own payload to its own answer. Whatever fails inside is an answer too; one that
 * throws is taken for a failure by whoever called.
 */
export type GuardEndpoint = (
  client: string,
  payload: Uint8Array,
  env: Readonly<Record<string, string>>,
) => Promise<NativeAnswer>;

/**
 * What of a hook's environment tells who is calling and where, with the header that tells it over HTTP; nothing else is
 * sent, stored or logged. Clients that call over HTTP are in no checkout of Lockstep's, and tell their folder.
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
