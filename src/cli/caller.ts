import { type Deny, deny } from "../core/rules/verdict.ts";
import type { Call } from "../engine/engine.ts";
import { readTaskName } from "../engine/task-keys.ts";

interface CallOptions {
  readonly epoch?: string;
  readonly key?: string;
  readonly dryRun?: boolean;
}

const orchestratorNames = ["orchestrator", "master-orchestrator"];

/** Who runs this command, from its environment: an agent that Lockstep started, an orchestrating agent, or a person. */
export function callFrom(environment: NodeJS.ProcessEnv, options: CallOptions = {}): Call | Deny {
  const own = environment.LOCKSTEP_TASK?.trim() || undefined;
  const named = own === undefined ? undefined : readTaskName(own);
  if (named !== undefined && "allow" in named) return named;
  // Whoever was started in the sandbox does not become a person by forgetting its task.
  if (environment.LOCKSTEP_SOCKET && own === undefined)
    return deny(
      "R-AU-001",
      "LOCKSTEP_SOCKET is set without LOCKSTEP_TASK: an agent has both, a person neither",
    );
  const given = options.epoch ?? environment.LOCKSTEP_EPOCH;
  const epoch = given === undefined || given.trim() === "" ? undefined : Number(given);
  if (epoch !== undefined && !(Number.isSafeInteger(epoch) && epoch >= 0))
    return deny("R-IN-001", `\`${given}\` is no epoch: give the number that dispatch answered with`);
  if (options.key !== undefined && !/^[\x21-\x7e]{1,200}$/.test(options.key))
    return deny("R-IN-001", "a key has 1 to 200 visible characters without blanks");
  const token = own === undefined ? undefined : environment.LOCKSTEP_TOKEN || undefined;
  return {
    role: own !== undefined ? "attempt" : isOrchestrator(environment) ? "orchestrator" : "person",
    ...(named === undefined ? {} : { task: named.key }),
    ...(epoch === undefined ? {} : { epoch }),
    ...(token === undefined ? {} : { token }),
    ...(options.key === undefined ? {} : { key: options.key }),
    ...(options.dryRun === true ? { dryRun: true } : {}),
  };
}

function isOrchestrator({ CLAUDE_AGENT_ROLE, CLAUDE_AGENT_NAME }: NodeJS.ProcessEnv): boolean {
  const name = CLAUDE_AGENT_ROLE?.trim() || CLAUDE_AGENT_NAME?.trim() || "";
  return orchestratorNames.includes(name.toLowerCase());
}
