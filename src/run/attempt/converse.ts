import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEnd, AgentEvent } from "../../clients/agent.ts";
import { askAgain } from "../../clients/answer/read-answer.ts";
import { unusable, unusableLines } from "../../clients/answer/unusable.ts";
import type { UniversalInput } from "../../clients/input/universal-input.ts";
import { StartCost } from "../../core/loops/start-cost.ts";
import { isAnswer } from "../../core/reports/is-answer.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import type { Agent } from "./agents.ts";
import { BoundedTalk } from "./bounded-talk.ts";
import { passedOn } from "./client-place.ts";
import type { Purpose } from "./purposes.ts";
import { restAgent } from "./rest-agent.ts";
import type { RunContext } from "./run-context.ts";
import type { Watch } from "./watch.ts";
import type { Workplace } from "./workplace.ts";

/** The question to an agent. */
export interface Question<Answer extends object> {
  readonly input: UniversalInput;
  /** The prompt for a new conversation, with the whole task. */
  readonly prompt: string;
  /** The conversation to continue, and the prompt for that. */
  readonly goOn?: { readonly conversation: string; readonly prompt: string };
  /** The time limit. Null: none; absent: the configured one. */
  readonly minutes?: number | null;
  /** The maximum number of tool calls. */
  readonly turnsMax?: number;
  /** Reads the answer, or says why it is unusable. */
  read(answer: unknown): Promise<Answer | Unusable>;
}

interface Unusable {
  readonly invalid: string;
}

/** A question, with the agent and the workplace. */
export interface Asking<Answer extends object> extends Question<Answer> {
  readonly purpose: Purpose;
  readonly agent: Agent;
  readonly place: Workplace;
  /** In addition to the variables that the configuration passes on. */
  readonly env: Readonly<Record<string, string>>;
  readonly watch: Watch;
  readonly stop: AbortSignal;
  tell(event: AgentEvent): void;
}

/**
 * The end of a conversation. `silent`: the agent succeeded without a report. `unanswered`: it worked, but its report is
 * unusable. In both cases its changes decide. `over`: its watch ended it. `resting`: it has no quota or no login now.
 */
export type Conversed<Answer> = { readonly conversation: string | undefined } & (
  | { readonly how: "answered"; readonly answer: Answer }
  | { readonly how: "silent" }
  | { readonly how: "unanswered"; readonly reason: string }
  | { readonly how: "failed" | "unavailable"; readonly reason: string; readonly starts: number }
  | { readonly how: "resting"; readonly reason: string; readonly told: string }
  | { readonly how: "over"; readonly lost: Deny }
  | { readonly how: "stopped" }
);

/** Why an agent gave no answer although one is needed. `resting`: it can be asked again later. */
export interface Unanswered {
  readonly unanswered: string;
  readonly how: "failed" | "unavailable" | "resting" | "stopped";
}

export function unanswered(talked: Exclude<Conversed<object>, { how: "answered" }>): Unanswered {
  switch (talked.how) {
    case "over":
      return { unanswered: talked.lost.reason, how: "failed" };
    case "resting":
      return { unanswered: talked.told, how: "resting" };
    case "failed":
    case "unavailable":
      return { unanswered: talked.reason, how: talked.how };
    default:
      return { unanswered: "stopped", how: "stopped" };
  }
}

const unavailableMs = 10_000;
const goOn = "You were interrupted because the connection was lost. Continue where you left off.";

/** Starts an agent until it gives a usable answer, at most as many times as its purpose allows. */
export async function converse<Answer extends object>(
  context: RunContext,
  asking: Asking<Answer>,
): Promise<Conversed<Answer>> {
  const { purpose, agent, watch } = asking;
  const say = (text: string) => asking.tell({ type: "said", text });
  let { prompt, resume } = {
    prompt: asking.goOn?.prompt ?? asking.prompt,
    resume: asking.goOn?.conversation,
  };
  for (let starts = 1; ; starts += 1) {
    const { end, conversation, turns } = await start(context, asking, { prompt, resume });
    // Records the last usage and loop signals.
    await watch.finish();
    if (watch.fault !== undefined) throw watch.fault;
    if (watch.lost !== undefined) return { how: "over", lost: watch.lost, conversation };
    const isSilent = end.how === "done" && isEnough(asking, end.answer);
    if (isSilent || turns >= (asking.turnsMax ?? Number.POSITIVE_INFINITY))
      return { how: "silent", conversation };
    if (end.how === "stopped") return { how: "stopped", conversation };
    if (end.how === "limited" || end.how === "unauthenticated") {
      const reason = context.secrets.mask(end.reason);
      const told = await restAgent(context, agent.name, { ...end, reason });
      return { how: "resting", reason: `${end.how}: ${reason}`, told, conversation };
    }
    // Used only after an unusable answer or a lost connection.
    const canResume = agent.can.resume && conversation !== undefined;
    if (end.how === "done") {
      const read = await asking.read(context.secrets.maskIn(end.answer));
      if (!("invalid" in read)) return { how: "answered", answer: read, conversation };
      unusableLines(read.invalid).forEach(say);
      const isLast = starts >= (agent.isClient ? purpose.asksMax : purpose.startsMax);
      if (purpose.answer === "wanted" && agent.isClient && (isLast || !canResume))
        return { how: "unanswered", reason: read.invalid, conversation };
      if (isLast) return { how: "failed", reason: unusable(read.invalid), starts, conversation };
      if (canResume) [prompt, resume] = [askAgain(read.invalid), conversation];
      continue;
    }
    const problem = end.how === "failed" ? `${end.reason}\n${end.output}`.trim() : end.reason;
    const reason = context.secrets.mask(problem);
    say(`failed: ${reason}`);
    if (starts >= purpose.startsMax) return { how: end.how, reason, starts, conversation };
    // Otherwise a new conversation: if resuming is what fails, it must not be tried three times.
    [prompt, resume] =
      end.how === "unavailable" && canResume ? [goOn, conversation] : [asking.prompt, undefined];
    if (end.how === "unavailable") await pause(unavailableMs * starts, asking.stop);
  }
}

/** Whether no answer is needed, because only the changed files count. */
function isEnough({ purpose, agent }: Pick<Asking<object>, "purpose" | "agent">, answer: unknown): boolean {
  if (purpose.answer === "ignored") return true;
  return purpose.answer === "wanted" && !agent.isClient && !isAnswer(answer);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {}); // aborted: the next start ends at once
}

interface Started {
  readonly end: AgentEnd;
  readonly conversation: string | undefined;
  readonly turns: number;
}

/** The ledger halts a task at its time limit. This ends the agent process if that has no effect. */
const graceMs = 60_000;

/** Starts an agent once and follows it to its end. */
async function start(
  { config }: Pick<RunContext, "config">,
  { agent, place, input, env, watch, turnsMax, tell, ...asking }: Asking<object>,
  { prompt, resume }: { readonly prompt: string; readonly resume: string | undefined },
): Promise<Started> {
  const { minutes = config.limits.minutes.halt } = asking;
  const startCost = new StartCost(prompt);
  let [conversation, turns, stop] = [resume, 0, () => {}];
  const talk = new BoundedTalk((event) => {
    tell(event);
    watch.see(event);
    turns += event.type === "tool" ? 1 : 0;
    if (turns === turnsMax) stop();
  });
  using _home = place.enter(resume);
  const run = agent.client.start({
    ...{ input, prompt, sandboxed: place.sandboxed, wrap: place.wrap, outside: place.outside },
    folder: place.checkout.folder,
    env: {
      ...passedOn([...config.workspace.env_pass, ...agent.client.passes]),
      // These replace the variables of an orchestrating agent whose environment is passed on.
      CLAUDE_AGENT_ROLE: agent.role.toLowerCase(),
      CLAUDE_AGENT_NAME: agent.name,
      ...env,
    },
    msMax: (minutes ?? 24 * 60) * 60_000 + graceMs,
    ...(resume === undefined ? {} : { resume }),
    onEvent: (event) => {
      if (event.type === "conversation") conversation = event.id;
      const counts = event.type === "usage" && agent.isClient;
      talk.see(counts ? { ...event, tokens: startCost.counted(event) } : event);
    },
  });
  stop = () => void run.stop();
  using _following = watch.follow(stop);
  const end = await run.ended;
  talk.end();
  return { end, conversation, turns };
}
