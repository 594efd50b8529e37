import { type RuleCode, ruleCodes } from "../../core/rules/catalog.ts";
import { allow, type Details, deny, type Verdict } from "../../core/rules/verdict.ts";
import { maskByOwnRules } from "../../core/secrets/mask-by-own-rules.ts";
import { dataOf } from "../../ledger/event-data.ts";
import type { NewEvent } from "../../ledger/ledger.ts";
import type { Admitted } from "../change/door.ts";
import { commit, internal } from "../change/door.ts";
import type { Engine } from "../change/engine.ts";
import { refuseAttempt } from "./refuse-attempt.ts";

/** A call that the guard refused, or a misplaced write that it found afterwards. The content is not included. */
export interface GuardViolation {
  readonly kind: "refused" | "strayed" | "sent-back" | "let-go";
  /** Null if the caller has no task. */
  readonly task: string | null;
  readonly epoch: number | null;
  readonly agent: string | null;
  readonly tool: string;
  readonly code: RuleCode;
  /** The path or program concerned. */
  readonly target: string;
  readonly reason: string;
  /** Size of the content or command. */
  readonly bytes: number;
}

type Source = Pick<Engine, "ledger" | "clock"> & { readonly limits: Pick<Engine["limits"], "sameError"> };

/** Limit per attempt, and for all callers without a task together: further events add no information. */
const eventsMax = 200;
const textLengthMax = 300;

/**
 * Records a violation. Returns how many times this target was refused to this attempt, including now, and whether
 * that is a loop. The loop event is recorded once.
 */
export const recordViolation = internal("record-violation", noteViolation);

async function noteViolation(
  { ledger, clock, limits }: Source,
  violation: GuardViolation,
  call: Admitted,
): Promise<{ readonly times: number; readonly loops: boolean }> {
  const target = short(violation.target);
  const type = `guard.${violation.kind}` as const;
  const before = (
    await ledger.events({
      type,
      newestFirst: true,
      limit: eventsMax,
      ...(violation.task === null ? {} : { task: violation.task }),
    })
  )
    .filter(({ task }) => task === violation.task)
    .map((event) => dataOf(event, type) ?? {})
    .filter(({ epoch = null, agent = null }) => epoch === violation.epoch && agent === violation.agent);
  const times = before.filter((refused) => refused.target === target).length + 1;
  const loops = violation.kind === "refused" && violation.task !== null && times >= limits.sameError;
  if (before.length >= eventsMax) return { times, loops };
  const { task, epoch, agent, tool, code, reason, bytes } = violation;
  const event = (name: string, data: Details): NewEvent => ({
    at: new Date(clock.now().wallMs).toISOString(),
    type: name,
    actor: task === null ? "agent" : `attempt:${task}#${epoch ?? "?"}`,
    cause: "guard",
    ...{ task, from: null, to: null, data },
  });
  const same = { epoch, agent: agent === null ? null : short(agent), target };
  const events = [
    event(type, { ...same, tool: short(tool), code, reason: short(reason), bytes }),
    ...(loops && times === limits.sameError ? [event("guard.looped", { ...same, times })] : []),
  ];
  await commit(ledger, call, { events });
  return { times, loops };
}

function short(text: string): string {
  return maskByOwnRules(text).slice(0, textLengthMax);
}

type Reported = Omit<GuardViolation, "task" | "epoch" | "code"> & {
  readonly task: string;
  readonly code: string;
  /** `guard.on_deny: block`: it was recorded before and now blocks the task. */
  readonly block?: boolean;
};

/** For an agent in the sandbox, whose guard cannot write to the ledger: it can only report on its own task. */
export async function recordForAttempt(engine: Engine, input: Reported, call: Admitted): Promise<Verdict> {
  const code = ruleCodes.find((known) => known === input.code);
  if (code === undefined) return deny("R-IN-001", "`code` is not the code of a rule", { field: "code" });
  if (input.block === true)
    return refuseAttempt(engine, { task: input.task, refused: deny(code, input.reason) }, call);
  const attempt = await engine.ledger.attempt(input.task);
  return allow(await recordViolation(engine, { ...input, code, epoch: attempt?.epoch ?? null }, call));
}
