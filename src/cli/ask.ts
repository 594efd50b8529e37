import type { OperationName } from "../contract/operations.ts";
import type { Deny } from "../core/rules/verdict.ts";
import { type AnswerOf, type InputOf, operate } from "../engine/operate.ts";
import { callFrom } from "./caller.ts";
import { refuseAgent } from "./only-a-person.ts";
import { openEngine } from "./open-engine.ts";
import { askHost } from "./socket-client.ts";

export interface AskOptions {
  readonly epoch?: string;
  readonly key?: string;
  readonly dryRun?: boolean;
  readonly now?: string;
  /** True for what may be the first write in a project. */
  readonly create?: boolean;
}

/** One operation from this command's environment; in the sandbox, where the ledger cannot be, through the host. */
export async function ask<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  options: AskOptions = {},
): Promise<AnswerOf<Name> | Deny> {
  const call = callFrom(process.env, options);
  if ("allow" in call) return call;
  const socket = process.env.LOCKSTEP_SOCKET;
  if (socket) return (await askHost(socket, { operation: name, input, call })) as AnswerOf<Name> | Deny;
  const refused = call.role === "person" ? refuseAgent(name) : undefined;
  if (refused !== undefined) return refused;
  using opened = await openEngine(options.dryRun === true ? { ...options, create: false } : options);
  return await operate(opened.engine, name, input, call);
}
