import type { OperationName } from "../../contract/operations.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import { type AnswerOf, type InputOf, operate } from "../../engine/operate.ts";
import { type CallOptions, callFrom, callOf, environmentOf } from "./caller.ts";
import { openEngine } from "./open-engine.ts";
import { askHost } from "./socket-client.ts";
import { whoCalls } from "./who-calls.ts";

export interface AskOptions extends CallOptions {
  readonly now?: string;
  /** True for operations that may be the first write in a project. */
  readonly create?: boolean;
}

/** Operations that start, change or judge work under the rules of the configuration. */
const configured: ReadonlySet<OperationName> = new Set([
  ...(["task-add", "task-retry", "task-escalate", "task-resolve", "dispatch", "submit"] as const),
  ...(["complete", "widen", "watchdog"] as const),
]);

/** Runs one operation for the caller of this command; in the sandbox, which has no ledger, through the host. */
export async function ask<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  options: AskOptions = {},
): Promise<AnswerOf<Name> | Deny> {
  const caller = await whoCalls();
  const environment = environmentOf(caller);
  const socket = environment.LOCKSTEP_SOCKET;
  if (socket) {
    const call = callFrom(environment, options);
    if ("allow" in call) return call;
    return (await askHost(socket, { operation: name, input, call })) as AnswerOf<Name> | Deny;
  }
  const { create = false } = options;
  using opened = await openEngine({
    ...options,
    create: create && options.dryRun !== true,
    onFaults: configured.has(name) ? "refuse" : "warn",
  });
  const { task } = input as { readonly task?: string };
  const call = await callOf(caller, opened.engine, { ...options, task });
  return "allow" in call ? call : await operate(opened.engine, name, input, call);
}
