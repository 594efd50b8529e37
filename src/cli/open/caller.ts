import { readTaskName } from "../../core/names/task-name.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { claimedFrom } from "../../engine/attempts/bind-agent.ts";
import type { Call, Engine } from "../../engine/change/engine.ts";
import type { Caller } from "./who-calls.ts";

export interface CallOptions {
  readonly epoch?: string;
  readonly key?: string;
  readonly dryRun?: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const orchestratorNames = ["orchestrator", "master-orchestrator"];

/** The role and options of a call. The ledger knows the task of a client's agent; `task` is the one that it asks about. */
export async function callOf(
  caller: Caller,
  { ledger }: Pick<Engine, "ledger">,
  { task, ...options }: CallOptions & { readonly task?: string | undefined } = {},
): Promise<Call | Deny> {
  if (caller.kind === "person") return callFrom(process.env, options);
  const { seen } = caller;
  if (caller.kind !== "agent") {
    const call = callFrom(environmentOf(caller), options);
    return "allow" in call ? call : { ...call, seen };
  }
  const asked = readOptions({}, options);
  if ("allow" in asked) return asked;
  const own = await claimedFrom({ ledger }, caller.process, task);
  // An orchestrating agent keeps its role while its subagents, which are bound one by one, have tasks.
  const isOwn = own !== undefined && (own.task === task || own.boundAgent?.startsWith("session:") === true);
  if (!isOwn && (await orchestrates(caller))) return { ...asked, role: "orchestrator", seen };
  if (own === undefined) return { ...asked, role: "subagent", seen };
  return { epoch: own.epoch, ...asked, role: "attempt", task: own.task, seen };
}

/** A client's agent is an orchestrator by its client's environment or by the role of its session. */
export async function orchestrates(caller: Extract<Caller, { kind: "agent" }>): Promise<boolean> {
  return (
    namesOrchestrator(caller.environment) || (await import("./agent-sessions.ts")).isOrchestrating(caller)
  );
}

/** The environment that has the caller's task, socket and role. */
export function environmentOf(caller: Caller): Environment {
  return caller.kind === "task" ? caller.environment : process.env;
}

/** From the environment alone: an agent that was started with a task, a program that orchestrates, or a person. */
export function callFrom(environment: Environment, options: CallOptions = {}): Call | Deny {
  const own = environment.LOCKSTEP_TASK?.trim() || undefined;
  const named = own === undefined ? undefined : readTaskName(own);
  if (named !== undefined && "allow" in named) return named;
  // A process in the sandbox does not become a person by removing LOCKSTEP_TASK.
  if (environment.LOCKSTEP_SOCKET && own === undefined)
    return deny(
      "R-AU-001",
      "LOCKSTEP_SOCKET is set without LOCKSTEP_TASK: an agent has both, a person neither",
    );
  const asked = readOptions(environment, options);
  if ("allow" in asked) return asked;
  const token = own === undefined ? undefined : environment.LOCKSTEP_TOKEN || undefined;
  return {
    role: own !== undefined ? "attempt" : namesOrchestrator(environment) ? "orchestrator" : "person",
    ...(named === undefined ? {} : { task: named.key }),
    ...(token === undefined ? {} : { token }),
    ...asked,
  };
}

function readOptions(environment: Environment, options: CallOptions): Omit<Call, "role"> | Deny {
  const given = options.epoch ?? environment.LOCKSTEP_EPOCH;
  const epoch = given === undefined || given.trim() === "" ? undefined : Number(given);
  if (epoch !== undefined && !(Number.isSafeInteger(epoch) && epoch >= 0))
    return deny("R-IN-001", `\`${given}\` is not an epoch: give the number that \`dispatch\` returned`);
  if (options.key !== undefined && !/^[\x21-\x7e]{1,200}$/.test(options.key))
    return deny("R-IN-001", "a key must have 1 to 200 printable ASCII characters and no spaces");
  return {
    ...(epoch === undefined ? {} : { epoch }),
    ...(options.key === undefined ? {} : { key: options.key }),
    ...(options.dryRun === true ? { dryRun: true } : {}),
  };
}

export function namesOrchestrator({ CLAUDE_AGENT_ROLE, CLAUDE_AGENT_NAME }: Environment): boolean {
  const name = CLAUDE_AGENT_ROLE?.trim() || CLAUDE_AGENT_NAME?.trim() || "";
  return orchestratorNames.includes(name.toLowerCase());
}
