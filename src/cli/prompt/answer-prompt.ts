import { isMeta, sessionOfKey } from "../../core/names/task-name.ts";
import type { Verdict } from "../../core/rules/verdict.ts";
import { gateOf } from "../../core/session/gate-ids.ts";
import { wrapped } from "../../core/text/display-width.ts";
import type { Call, Engine } from "../../engine/change/engine.ts";
import { decisionName } from "../../engine/decisions/decision-ids.ts";
import {
  cancelUnanswered,
  canGoOnWithout,
  isSecurityQuestion,
} from "../../engine/decisions/drop-decisions.ts";
import { openDecisions } from "../../engine/decisions/open-decisions.ts";
import { operate } from "../../engine/operate.ts";
import { readStatus } from "../../engine/views/read-status.ts";
import type { Decision } from "../../ledger/ledger.ts";
import type { GateDocuments } from "../../session/files/gate-documents.ts";
import { answersTo, findingLines, questionText } from "../../view/needs-person.ts";
import { statusNames } from "../../view/status-names.ts";
import { style } from "../output/style.ts";
import { printable } from "../output/table.ts";

/** A terminal, or its replacement in tests. */
export interface Prompt {
  /** Undefined if the person ends the prompt. */
  ask(text: string): Promise<string | undefined>;
  tell(text: string): void;
  readonly columns: number;
}

interface Asking {
  readonly engine: Engine;
  readonly call: Call;
  readonly prompt: Prompt;
  readonly documents?: GateDocuments;
}

type Outcome = "settled" | "unanswered" | "left" | "ended";

/** The number of repeated questions after the first one (A4-2). */
const reAsksMax = 3;

/** Asks a person the open decisions in order, and returns the answered ones. */
export async function answerAtPrompt(
  asking: Asking,
  wanted: (decision: Decision) => boolean = () => true,
): Promise<readonly Decision[]> {
  const { engine } = asking;
  const pending = await openDecisions(engine);
  const nameOf = statusNames((await readStatus(engine)).tasks).of;
  const waiting = pending.filter(wanted).toSorted((one, other) => (one.askedAt < other.askedAt ? -1 : 1));
  const settled: Decision[] = [];
  const unanswered: Decision[] = [];
  for (const [index, decision] of waiting.entries()) {
    const name = decisionName(pending, decision.id);
    show(asking, decision, { name, nameOf, place: `${index + 1} of ${waiting.length}` });
    const outcome = await askOne(asking, decision, name);
    if (outcome === "ended") return settled;
    if (outcome === "settled") settled.push(decision);
    if (outcome === "unanswered") unanswered.push(decision);
  }
  return [...settled, ...(await dropUnanswered(asking, unanswered))];
}

function show(
  { prompt: { tell, columns }, documents }: Asking,
  decision: Decision,
  { name, nameOf, place }: { name: string; nameOf: (task: string) => string; place: string },
): void {
  const { task, options, data } = decision;
  const about = isMeta(task) ? (sessionOfKey(task) ?? "") : nameOf(task);
  const { stateContext: state, findings = [], commit } = data ?? {};
  const recommended = data?.recommended;
  const lines = [
    ...wrapped(questionText(decision, nameOf), columns - 2),
    ...findingLines(findings),
    ...(commit == null ? [] : [`to see the work: lockstep diff ${nameOf(task)}`]),
    options.length === 0 ? "answer in your own words" : `answer: ${answersTo(decision).join(", or ")}`,
    ...(recommended === undefined ? [] : [`press Enter for ${recommended}`]),
    ...(documents?.show(decision) === undefined ? [] : ["type o to see the documents"]),
    ...(documents?.changes(decision) === undefined
      ? []
      : ["type d to see what changed since you were last asked"]),
    ...(mayBeLeft(decision) ? [] : wrapped(`an answer is required; ${cancelHint(decision)}`, columns - 2)),
  ];
  const where = `${printable(about)}${state === undefined ? "" : `, ${state}`} (${place})`;
  tell(`\n${style.bold(name)}  ${where}\n${lines.map((line) => `  ${printable(line)}\n`).join("")}`);
}

/** Gates and security questions need an explicit answer (S4-095, S4-097). */
function mayBeLeft(decision: Decision): boolean {
  return gateOf(decision.id) === undefined && !isSecurityQuestion(decision);
}

function cancelHint({ id, data }: Decision): string {
  if (gateOf(id) === undefined) return "to leave it open, type `cancel: <reason>`";
  return `to stop here, type \`cancel: <reason>\`; to give up the session, run \`lockstep resume ${data?.session} --abandon <reason>\``;
}

/** True if the text was `o` or `d` and the documents were shown. */
function showDocuments({ prompt, documents }: Asking, decision: Decision, text: string): boolean {
  const key = text.trim().toLowerCase();
  if (key !== "o" && key !== "d") return false;
  const shown = key === "o" ? documents?.show(decision) : documents?.changes(decision);
  if (shown === undefined) return false;
  const lines = shown === "" ? ["nothing changed"] : shown.trimEnd().split("\n");
  prompt.tell(`${lines.map((line) => `  ${printable(line)}\n`).join("")}`);
  return true;
}

async function askOne(asking: Asking, decision: Decision, name: string): Promise<Outcome> {
  const { engine, call, prompt } = asking;
  for (let asked = 0; asked <= reAsksMax; asked += 1) {
    const typed = await prompt.ask(`${name}> `);
    if (typed === undefined) return "ended";
    if (showDocuments(asking, decision, typed)) {
      asked -= 1;
      continue;
    }
    const text = typed.trim() === "" ? (decision.data?.recommended ?? "") : typed;
    if (text === "" && canGoOnWithout(decision)) return "unanswered";
    if (text === "" && mayBeLeft(decision)) break;
    if (text === "") {
      prompt.tell(`  an answer is required; ${cancelHint(decision)}\n`);
      continue;
    }
    const [, reason] = /^\s*cancel:\s*(\S[\s\S]*?)\s*$/i.exec(text) ?? [];
    const { id } = decision;
    const input = reason === undefined ? { id, answer: text } : { id, cancel: reason };
    const verdict: Verdict = await operate(engine, "decide", input, call);
    const told = wrapped(verdict.allow ? settledText(verdict) : verdict.reason, prompt.columns - 2);
    prompt.tell(told.map((line) => `  ${line}\n`).join(""));
    // Answered by another process in the meantime, or no attempts left: nothing to ask any more.
    if (verdict.allow || verdict.code === "R-ST-001" || verdict.details.left === 0) return "settled";
  }
  prompt.tell(stillWaits(name));
  return "left";
}

function stillWaits(name: string): string {
  return `  ${name} is still open: \`lockstep decide ${name}\` asks again\n`;
}

function settledText({ details }: Verdict): string {
  return `${String(details?.state ?? "answered")}: ${String(details?.answer ?? "approved")}`;
}

/** Asks for confirmation after all questions were shown (S4-094). */
async function dropUnanswered(
  { engine, call, prompt }: Asking,
  unanswered: readonly Decision[],
): Promise<readonly Decision[]> {
  if (unanswered.length === 0) return [];
  const ids = unanswered.map(({ id }) => id);
  const said = await prompt.ask(
    `\n${ids.join(", ")} ${ids.length === 1 ? "has no answer: continue without one" : "have no answers: continue without them"}? [y/N] `,
  );
  if (!/^y(?:es)?$/i.test(said?.trim() ?? "")) {
    for (const id of ids) prompt.tell(stillWaits(id));
    return [];
  }
  const verdict = await cancelUnanswered(engine, { ids, reason: "no response provided" }, call);
  if (!verdict.allow) prompt.tell(`  ${printable(verdict.reason)}\n`);
  return verdict.allow ? unanswered : [];
}
