import { setTimeout as sleep } from "node:timers/promises";
import { type AnswerReading, askAgain, readAnswer } from "../../clients/answer/read-answer.ts";
import { unusable, unusableLines } from "../../clients/answer/unusable.ts";
import type { UniversalInput } from "../../clients/input/universal-input.ts";
import { isAnswer } from "../../core/reports/is-answer.ts";
import type { Agent } from "./agents.ts";
import { askAgent } from "./ask-agent.ts";
import type { Heartbeats } from "./heartbeats.ts";
import type { RunContext, RunTask } from "./run-context.ts";
import type { LentFiles } from "./session-files.ts";
import type { WorkPlace } from "./work-place.ts";

export interface Talk {
  readonly task: RunTask;
  readonly agent: Agent;
  readonly place: WorkPlace;
  readonly lent: LentFiles;
  readonly input: UniversalInput;
  /** The whole task. */
  readonly prompt: string;
  /** How long an attempt may take; null: any time. */
  readonly minutes: number | null;
  /** The conversation to go on with, and what is new in it. */
  readonly goOn?: { readonly conversation: string; readonly prompt: string };
  readonly env: Readonly<Record<string, string>>;
  readonly heartbeats: Heartbeats;
}

/**
 * How it went. `silent`: a program ended well and has nothing to report. `unanswered`: a client worked, but its
 * report cannot be used. Of both the tree has to tell.
 */
export type Conversed = { readonly conversation: string | undefined } & (
  | {
      readonly how: "answered";
      readonly answer: unknown;
      readonly reading: Exclude<AnswerReading, { kind: "invalid" }>;
    }
  | { readonly how: "silent" }
  | { readonly how: "unanswered"; readonly reason: string }
  | { readonly how: "failed"; readonly reason: string; readonly starts: number }
  | { readonly how: "limited"; readonly until: Date | null; readonly reason: string }
  | { readonly how: "unauthenticated"; readonly reason: string }
  | { readonly how: "stopped" }
);

/** It has worked, so what it made is looked at. */
export type Worked = Extract<Conversed, { how: "answered" | "silent" | "unanswered" }>;

/** S4: an agent that fails to give an answer is started twice more. */
const startsMax = 3;
/** A client is asked again once, in the same conversation; then the tree tells. */
const asksMax = 2;
const unavailableMs = 10_000;
const goOn = "You were interrupted: the connection broke off. Go on where you left off.";

export async function converse(context: RunContext, talk: Talk): Promise<Conversed> {
  const { task, agent, input, heartbeats } = talk;
  let { prompt, resume } = { prompt: talk.goOn?.prompt ?? talk.prompt, resume: talk.goOn?.conversation };
  for (let starts = 1; ; starts += 1) {
    const asked = await askAgent(context, {
      ...talk,
      ...{ agent, input, prompt },
      ...(resume === undefined ? {} : { resume }),
      onEvent: (event) => {
        context.onTask(task.key, event);
        heartbeats.see(event);
      },
      follow: (stop) => heartbeats.follow(stop),
    });
    // Usage and loops of its last moments count too.
    await heartbeats.finish();
    const { end, conversation } = asked;
    if (heartbeats.fault !== undefined || heartbeats.lost !== undefined)
      return { how: "stopped", conversation };
    if (end.how === "done") {
      if (!agent.isClient && !isAnswer(end.answer)) return { how: "silent", conversation };
      const answer = context.secrets.maskIn(end.answer);
      const reading = readAnswer(answer, { task: reported(task), role: agent.role });
      if (reading.kind !== "invalid") return { how: "answered", answer, reading, conversation };
      for (const text of unusableLines(reading.reason)) context.onTask(task.key, { type: "said", text });
      if (agent.isClient && (starts >= asksMax || conversation === undefined))
        return { how: "unanswered", reason: reading.reason, conversation };
      if (starts === startsMax)
        return {
          how: "failed",
          reason: unusable(reading.reason),
          starts,
          conversation,
        };
      if (agent.isClient) [prompt, resume] = [askAgain(reading.reason), conversation];
      continue;
    }
    if (end.how !== "failed" && end.how !== "unavailable") return { ...end, conversation };
    const told = end.how === "failed" ? `${end.reason}\n${end.output}`.trim() : end.reason;
    const reason = context.secrets.mask(told);
    context.onTask(task.key, { type: "said", text: `ended badly: ${reason}` });
    if (starts === startsMax) return { how: "failed", reason, starts, conversation };
    const canGoOn = end.how === "unavailable" && agent.can.resume && conversation !== undefined;
    // A conversation that cannot be gone on with must not be tried three times.
    [prompt, resume] = canGoOn ? [goOn, conversation] : [talk.prompt, undefined];
    if (end.how === "unavailable") await sleep(unavailableMs * starts);
  }
}

function reported({ plan }: RunTask) {
  return { id: plan.id, criteria: plan.acceptance_checks, worklogPath: undefined };
}
