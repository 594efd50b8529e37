import type { NativeAnswer } from "./tool-call.ts";

/**
 * One hook call of a client, from its own payload to its own answer. Whatever fails inside is an answer too; one that
 * throws is taken for a failure by whoever called.
 */
export type GuardEndpoint = (
  client: string,
  payload: Uint8Array,
  env: Readonly<Record<string, string>>,
) => Promise<NativeAnswer>;

/** What of a hook's environment tells who is calling and where; nothing else is sent, stored or logged. */
export const guardVariables = [
  "LOCKSTEP_TASK",
  "LOCKSTEP_EPOCH",
  "LOCKSTEP_TOKEN",
  "CLAUDE_AGENT_ROLE",
  "CLAUDE_AGENT_NAME",
  "LOCKSTEP_CHECKOUT",
  "TMPDIR",
  "PATH",
  "PWD",
] as const;

export const guardPayloadBytesMax = 1024 * 1024;
