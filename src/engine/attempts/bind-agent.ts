import { createHash } from "node:crypto";
import { isHere, isOver } from "../../core/leases/lease.ts";
import { isSameProcess, type ProcessIdentity } from "../../core/leases/process-identity.ts";
import { isMeta, unknownTask } from "../../core/names/task-name.ts";
import { type AllowWith, allow, type Deny, deny } from "../../core/rules/verdict.ts";
import { quoted } from "../../core/text/quoted.ts";
import type { Attempt, Ledger } from "../../ledger/ledger.ts";
import { StoreFault } from "../../ledger/store-fault.ts";
import { type Admitted, commit, internal } from "../change/door.ts";
import type { Engine } from "../change/engine.ts";
import { loadTask } from "../change/fence.ts";

type Source = Pick<Engine, "ledger" | "clock" | "machine">;

const roundsMax = 20;
/** Keys given by callers contain no blank, so they cannot collide with this one. */
const keyOf = (agent: string) => `agent ${createHash("sha256").update(agent).digest("hex")}`;

/** The task that an agent has claimed, even if it no longer holds it. */
export async function boundTask(ledger: Ledger, agent: string): Promise<string | undefined> {
  const answered = await ledger.answered(keyOf(agent));
  return (answered?.answer as Pick<Bound, "task_id"> | undefined)?.task_id;
}

/** The attempt that an agent has claimed. */
export interface Bound {
  readonly task_id: string;
  readonly epoch: number;
  readonly scope: readonly string[];
}

/**
 * `lockstep claim`: an agent is bound to one task for good, and an attempt to one agent. The same agent may claim
 * a later attempt at the same task.
 */
export const bindAgent = internal("claim", bind);

async function bind(
  { ledger, clock, machine }: Source,
  { agent, task: name }: { readonly agent: string; readonly task: string },
  call: Admitted,
): Promise<AllowWith<Bound> | Deny> {
  for (let round = 0; round < roundsMax; round += 1) {
    const key = await findKey(ledger, name);
    const loaded = key === undefined ? undefined : await loadTask({ ledger }, key);
    if (loaded === undefined || isMeta(loaded.task.key)) return unknownTask(name);
    const { task, attempt } = loaded;
    const before = await boundTask(ledger, agent);
    if (before !== undefined && before !== task.key)
      return deny("R-AU-001", `this agent works on task ${quoted(before)} and cannot claim another one`, {
        task_id: before,
      });
    if (attempt === undefined || isOver(attempt, clock.now())) return notClaimable(task.key, task.state);
    if (!isHere(attempt, machine))
      return deny("R-AU-001", `task ${quoted(task.key)} runs on another machine: claim it there`, {
        task_id: task.key,
      });
    const details = { task_id: task.key, epoch: attempt.epoch, scope: task.assignment?.lock_scope ?? [] };
    if (attempt.boundAgent === agent && attempt.boundClient === undefined) return allow(details);
    if (attempt.boundAgent !== undefined && attempt.boundAgent !== agent)
      return deny("R-AU-001", `task ${quoted(task.key)} is already claimed by another agent`, {
        task_id: task.key,
      });
    const at = new Date(clock.now().wallMs).toISOString();
    const event = {
      ...{ at, type: "agent.bound", actor: `attempt:${task.key}#${attempt.epoch}`, cause: "claim" },
      ...{ task: task.key, from: null, to: null, data: { agent, epoch: attempt.epoch } },
    };
    const request = { key: keyOf(agent), operation: "claim", digest: "", answer: { task_id: task.key } };
    // The client may have been restarted: the command, which runs next, records its current process.
    const { boundClient: _, ...rest } = attempt;
    const committed = await commit(ledger, call, {
      attempts: [{ ...rest, boundAgent: agent }],
      expect: { tasks: { [task.key]: task.version } },
      events: attempt.boundAgent === agent ? [] : [event],
      ...(before === undefined ? { request } : {}),
    });
    if ("ok" in committed) return allow(details);
  }
  throw new StoreFault("busy", "other processes kept changing the ledger during `claim`: try again");
}

/**
 * Called by the command `lockstep claim`, right after the guard has bound its agent. From then on, every process
 * below this client process acts for this task and for no other.
 */
export const bindClient = internal("claim-client", bindProcess);

async function bindProcess(
  { ledger }: Source,
  { client, task: key }: { readonly client: ProcessIdentity; readonly task: string },
  call: Admitted,
): Promise<Deny | undefined> {
  for (let round = 0; round < roundsMax; round += 1) {
    const loaded = await loadTask({ ledger }, key);
    if (loaded?.attempt?.boundAgent === undefined || isSameProcess(loaded.attempt.boundClient, client))
      return undefined;
    const { task, attempt } = loaded;
    if (attempt.boundClient !== undefined)
      return deny(
        "R-AU-001",
        `task ${quoted(key)} was claimed from another client process: call \`lockstep claim ${key}\` alone on its line`,
        { task_id: key },
      );
    const committed = await commit(ledger, call, {
      attempts: [{ ...attempt, boundClient: client }],
      expect: { tasks: { [key]: task.version } },
    });
    if ("ok" in committed) return undefined;
  }
  throw new StoreFault("busy", "other processes kept changing the ledger during `claim`: try again");
}

/** The attempt that agents of this client process have claimed; the attempt at `named`, if it is one of them. */
export async function claimedFrom(
  { ledger }: Pick<Source, "ledger">,
  client: ProcessIdentity,
  named: string | undefined,
): Promise<Attempt | undefined> {
  const meant = named === undefined ? undefined : await ledger.attempt(named);
  if (isSameProcess(meant?.boundClient, client)) return meant;
  for (const { key } of await ledger.tasks({ states: ["IN_PROGRESS", "REVIEW"] })) {
    const attempt = await ledger.attempt(key);
    if (isSameProcess(attempt?.boundClient, client)) return attempt;
  }
  return undefined;
}

/** `T-001` alone means the task of that name that is in progress or in review. */
async function findKey(ledger: Ledger, name: string): Promise<string | undefined> {
  if ((await ledger.task(name)) !== undefined) return name;
  const open = await ledger.tasks({ states: ["IN_PROGRESS", "REVIEW"] });
  return open.findLast(({ id }) => id === name)?.key;
}

function notClaimable(key: string, state: string): Deny {
  return deny(
    "R-ST-001",
    `task ${quoted(key)} is ${state} and has no lease: dispatch it before you claim it`,
    {
      task_id: key,
      state,
    },
  );
}
