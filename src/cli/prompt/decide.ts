import { isMeta, sessionOfKey } from "../../core/names/task-name.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import { decisionKinds } from "../../core/tasks/decision-kinds.ts";
import { decisionName, decisionNamed } from "../../engine/decisions/decision-ids.ts";
import type { AnswerOf } from "../../engine/operate.ts";
import type { TaskStatus } from "../../engine/views/read-status.ts";
import { type AfterAnswer, afterAnswer } from "../../session/after-answer.ts";
import { fetchDesigns } from "../../session/files/fetch-designs.ts";
import { gateDocuments } from "../../session/files/gate-documents.ts";
import { statusNames } from "../../view/status-names.ts";
import { openStateFolder } from "../../workspace/state/state-folder.ts";
import { type AskOptions, ask } from "../open/ask.ts";
import { needPlace } from "../open/need-place.ts";
import { openEngine } from "../open/open-engine.ts";
import { CommandFault } from "../output/command-fault.ts";
import { writeAll } from "../output/descriptor.ts";
import { showReading } from "../output/reading.ts";
import { style } from "../output/style.ts";
import { counted, printable } from "../output/table.ts";
import { tellVerdict } from "../output/verdicts.ts";
import { questionLines } from "../run-view/question-lines.ts";
import { answerAtPrompt } from "./answer-prompt.ts";
import { hasPerson, terminalPrompt } from "./terminal-prompt.ts";

interface DecideOptions extends AskOptions {
  readonly json?: boolean;
  readonly cancel?: string;
  readonly note?: string;
  readonly all?: boolean;
}

type Decisions = AnswerOf<"decisions">;

/** Answers a decision, or lists the open ones; on a terminal it asks them one after the other. */
export function decideCommand(
  id: string | undefined,
  answer: string | undefined,
  { json, cancel, note, all, ...options }: DecideOptions,
): Promise<number> {
  if (id !== undefined && (answer !== undefined || cancel !== undefined))
    return settle(id, { answer, cancel, note, json }, options);
  if (json === true)
    return showReading({ json, text: () => "" }, () => readDecisions(id, all === true, options));
  return showReading<Shown>({ text: ({ text }) => text, exit: ({ exit }) => exit }, async () => {
    const decisions = await readDecisions(id, all === true, options);
    if ("allow" in decisions) return decisions;
    await fetchDocuments(decisions);
    const isAsking =
      all !== true && (await hasPerson()) && decisions.some(({ state }) => state === "pending");
    return isAsking
      ? askAll(id === undefined ? undefined : decisions[0]?.id)
      : { text: await decisionsText(decisions, options), exit: 0 };
  });
}

/** The documents of a question may be on another machine. */
async function fetchDocuments(decisions: Decisions): Promise<void> {
  if (process.env.LOCKSTEP_SOCKET || decisions.every(({ data }) => data?.documents === undefined)) return;
  using opened = await openEngine({ onFaults: "warn" });
  const { engine, config, project } = opened;
  const { root, realRoot = root } = project.place;
  const place = { engine, config, root: realRoot, stateFolder: openStateFolder(project) };
  for (const line of await fetchDesigns(place, decisions)) writeAll(2, `lockstep: ${printable(line)}\n`);
}

interface Shown {
  readonly text: string;
  readonly exit: number;
}

interface Given {
  readonly answer: string | undefined;
  readonly cancel: string | undefined;
  readonly note: string | undefined;
  readonly json: boolean | undefined;
}

async function settle(
  id: string,
  { answer = "", cancel, note, json }: Given,
  options: AskOptions,
): Promise<number> {
  let after: AfterAnswer = { isShown: true, lines: [] };
  let understood = "";
  const exit = await tellVerdict(
    {
      json,
      text: ({ details }) =>
        `decision ${details?.id ?? id} is ${cancel === undefined ? `answered${understood}` : "cancelled"}`,
    },
    async () => {
      const reason = note === undefined ? "" : await reasonFor(id, answer, note);
      const said = cancel === undefined ? { id, answer: `${answer}${reason}` } : { id, cancel };
      const verdict = await ask("decide", said, options);
      // Through the socket, the host publishes the answer.
      if (process.env.LOCKSTEP_SOCKET) return verdict;
      using opened = await openEngine({ onFaults: "warn" });
      if (verdict.allow) {
        const key = String(verdict.details?.id ?? id);
        const stored = (await opened.engine.ledger.decisions()).find((one) => one.id === key);
        understood = stored?.answer ? `: ${printable(stored.answer)}` : "";
      }
      after = await afterAnswer(opened, verdict.allow ? [String(verdict.details?.id ?? id)] : []);
      return verdict;
    },
  );
  for (const line of after.lines) writeAll(2, `${line}\n`);
  return after.isShown ? exit : Math.max(exit, 1);
}

/** Asks every open decision, or one of them. */
async function askAll(id: string | undefined): Promise<Shown> {
  using opened = await openEngine({ onFaults: "warn" });
  using prompt = terminalPrompt();
  const documents = gateDocuments(openStateFolder(opened.project));
  const asking = { engine: opened.engine, call: { role: "person" } as const, prompt, documents };
  const settled = await answerAtPrompt(asking, (one) => id === undefined || one.id === id);
  const { isShown, lines } = await afterAnswer(
    opened,
    settled.map((one) => one.id),
  );
  return { text: lines.map((line) => `${line}\n`).join(""), exit: isShown ? 0 : 1 };
}

async function readDecisions(
  id: string | undefined,
  all: boolean,
  options: AskOptions,
): Promise<Decisions | Deny> {
  await needPlace();
  const found = await ask("decisions", { all: all || id !== undefined }, options);
  if ("allow" in found || id === undefined) return found;
  const one = decisionNamed(found, id);
  return "allow" in one ? one : [one];
}

/** The note as the reason of a refusal; other answers take no reason. */
async function reasonFor(id: string, answer: string, note: string): Promise<string> {
  const found = await readDecisions(id, true, {});
  const kind = "allow" in found ? undefined : found[0]?.kind;
  if (kind === "weakened" || (kind === "continue" && answer === "stop")) return `: ${note}`;
  if (answer.toLowerCase() === "refused" && kind !== undefined && decisionKinds[kind].reason === "refused")
    return `: ${note}`;
  throw new CommandFault("R-IN-001", `\`${id}\` takes no --note with \`${answer}\`: leave it out`);
}

async function decisionsText(decisions: Decisions, options: AskOptions): Promise<string> {
  const status = await ask("status", {}, options);
  const { tasks: listed, landings } = "allow" in status ? { tasks: [], landings: [] } : status;
  if (decisions.length === 0) return nothingAsked(listed, landings.length);
  const nameOf = statusNames(listed).of;
  const all = await ask("decisions", { all: true }, options);
  const pending = ("allow" in all ? decisions : all).filter(({ state }) => state === "pending");
  return decisions
    .map((one) => {
      const { id, task, state, answer } = one;
      const settled =
        state === "pending" ? "" : `  ${state}${answer === null ? "" : `: ${printable(answer)}`}`;
      const about = printable(isMeta(task) ? (sessionOfKey(task) ?? "") : nameOf(task));
      return [
        `${style.bold(state === "pending" ? decisionName(pending, id) : id)}  ${about}${settled}`,
        ...questionLines(one, { pending, nameOf }),
      ];
    })
    .map((lines) => lines.map((line) => `${line}\n`).join(""))
    .join("\n");
}

function nothingAsked(tasks: readonly TaskStatus[], landings: number): string {
  const isTheirs = ({ waits }: TaskStatus) => waits.some(({ on }) => on === "person");
  const theirs = tasks.filter(isTheirs);
  const escalated = theirs.filter(({ state }) => state === "ESCALATED").length;
  const others = theirs.length - escalated;
  const are = (count: number) => (count === 1 ? "is" : "are");
  const waiting = [
    ...(escalated === 0 ? [] : [`${counted(escalated, "task")} ${are(escalated)} escalated`]),
    ...(others === 0 ? [] : [`${counted(others, "task")} ${others === 1 ? "waits" : "wait"}`]),
    ...(landings === 0 ? [] : [`${counted(landings, "landing")} ${landings === 1 ? "waits" : "wait"}`]),
  ];
  if (waiting.length === 0) return "nothing is waiting for you\n";
  return `no question is open, but ${waiting.join(" and ")}: see \`lockstep status\`\n`;
}
