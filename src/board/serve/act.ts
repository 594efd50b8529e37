import * as z from "zod";
import type { Acted, ActRequest } from "../../contract/board.ts";
import { line, text } from "../../contract/parts.ts";
import { planCommand } from "../../core/names/session-paths.ts";
import { sessionOfKey, unknownTask } from "../../core/names/task-name.ts";
import { ruleCodes } from "../../core/rules/catalog.ts";
import { type Deny, deny, type Verdict } from "../../core/rules/verdict.ts";
import { shellWord } from "../../core/text/quoted.ts";
import type { Call } from "../../engine/change/engine.ts";
import { operate } from "../../engine/operate.ts";
import { stopForPerson, takeForPerson } from "../../run/conduct/task/hand-over.ts";
import { type RolledBack, rollBack } from "../../run/landing/undo/roll-back.ts";
import { afterAnswer } from "../../session/after-answer.ts";
import { readRepository } from "../../workspace/git/repository-state.ts";
import { cut } from "../models/bounded.ts";
import type { BoardPlace } from "../models/look.ts";

/** The person at the page. Every event of what they do records it. */
const call: Call = { role: "person", via: "board" };

const form = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("decide"), id: line, answer: text.max(20_000) }),
  z.strictObject({ do: z.enum(["stop", "take", "retry"]), task: line }),
  z.strictObject({ do: z.literal("resolve"), task: line, note: text.max(20_000) }),
  z.strictObject({
    do: z.literal("widen"),
    task: line,
    paths: z.array(line).min(1).max(100),
    why: text.max(2000),
  }),
  z.strictObject({ do: z.literal("rollback"), task: line, dryRun: z.boolean() }),
]);

/** Carries out what a person asked for on the page, under the rules of the commands. */
export async function act(place: BoardPlace, body: unknown): Promise<Acted> {
  const read = form.safeParse(body);
  if (!read.success) {
    const [issue] = read.error.issues;
    const where = issue?.path.join(".") ?? "";
    return acted(
      deny("R-IN-001", `the request is not valid${where === "" ? "" : `: \`${where}\` ${issue?.message}`}`),
    );
  }
  try {
    return await carryOut({ ...place, ...(await place.current()) }, read.data);
  } catch (error) {
    return acted(faultOf(error));
  } finally {
    place.looks.forget();
  }
}

/** Faults with a code have a message for people; others are bugs. */
function faultOf(error: unknown): Deny {
  const code = ruleCodes.find((one) => one === (error as { readonly code?: unknown } | null)?.code);
  if (code === undefined || !(error instanceof Error)) throw error;
  return deny(code, error.message);
}

async function carryOut(place: BoardPlace, request: ActRequest): Promise<Acted> {
  const { engine } = place;
  switch (request.do) {
    case "decide":
      return decide(place, request);
    case "retry":
      return acted(await operate(engine, "task-retry", { task: request.task }, call), stateLines);
    case "resolve":
      return acted(
        await operate(engine, "task-resolve", { task: request.task, note: request.note }, call),
        stateLines,
      );
    case "widen": {
      const { task, paths, why } = request;
      return acted(await operate(engine, "widen", { task, paths, why }, call), grantedLines);
    }
    case "rollback":
      return rollback(place, request);
    default:
      return handOver(place, request.do, request.task);
  }
}

async function decide(
  place: BoardPlace,
  { id, answer }: { readonly id: string; readonly answer: string },
): Promise<Acted> {
  const verdict = await operate(place.engine, "decide", { id, answer }, call);
  const settled = String(verdict.details?.id ?? id);
  // As `lockstep decide`: a refused answer at a gate is published too.
  const { lines } = await afterAnswer(place, verdict.allow ? [settled] : []);
  return acted(verdict, () => [`${settled} is answered: ${answer}`, ...lines]);
}

async function handOver(place: BoardPlace, what: "stop" | "take" | "retry", key: string): Promise<Acted> {
  const task = await place.engine.ledger.task(key);
  if (task === undefined) return acted(unknownTask(key));
  const request = { place, task, name: key, call };
  if (what === "stop")
    return acted(await stopForPerson(request), () => [`${key} is stopped, and its work is kept`]);
  return acted(await takeForPerson(request), ({ details }) => {
    const resume = details?.resume;
    return [
      `${key} is yours: its agent is stopped, and its locks stay until you hand it back`,
      `cd ${shellWord(String(details?.folder))}`,
      ...(Array.isArray(resume) ? [resume.map((word) => shellWord(String(word))).join(" ")] : []),
      ...(details?.not_resumed === undefined
        ? []
        : [`its conversation cannot be resumed: ${String(details.not_resumed)}`]),
      `lockstep submit ${key}`,
    ];
  });
}

async function rollback(
  place: BoardPlace,
  { task, dryRun }: { readonly task: string; readonly dryRun: boolean },
): Promise<Acted> {
  const { engine, project, config } = place;
  const repository = await readRepository(project, config);
  if ("error" in repository) return acted(deny("R-IN-001", repository.error));
  const context = { engine, repository, config, call, dryRun, allowRed: false, onProgress: () => {} };
  const done = await rollBack(context, { level: "task", name: task });
  if (done.refused !== null) return acted(done.refused);
  return { ok: true, code: "OK", text: rollbackText(done), lines: rollbackLines(done) };
}

function rollbackText({ outcome, name, base, to }: RolledBack): string {
  if (outcome === "planned") return `would roll back ${name}; nothing was changed`;
  if (outcome === "nothing") return `${name} has nothing left to roll back`;
  return outcome === "rolled-back"
    ? `rolled back ${name}: ${base} is at ${to.slice(0, 12)}`
    : `${name} waits for a person`;
}

const linesMax = 40;

function rollbackLines({
  reverted,
  ended,
  blocked,
  again,
  evidence,
  way_back: back,
}: RolledBack): readonly string[] {
  return [
    ...reverted.map(
      ({ task, commit, files }) =>
        `reverts ${task} (${commit.slice(0, 12)}): ${files.slice(0, 5).join(", ")}`,
    ),
    ...ended.map((key) => `ends ${key}`),
    ...blocked.map((key) => `${key} waits for it`),
    ...again.map((key) => `${key} does the work again`),
    ...evidence.map(({ command }) => `${command} passes on the result`),
    ...back.map((command) => `to undo: ${command}`),
  ]
    .slice(0, linesMax)
    .map((one) => cut(one, 400));
}

function acted(verdict: Verdict, lines: (verdict: Verdict) => readonly string[] = () => []): Acted {
  if (!verdict.allow) return { ok: false, code: verdict.code, text: cut(verdict.reason, 2000), lines: [] };
  const [first = "done", ...more] = lines(verdict);
  return { ok: true, code: "OK", text: cut(first, 2000), lines: more.map((one) => cut(one, 1000)) };
}

function stateLines({ details }: Verdict): readonly string[] {
  const key = String(details?.task_id);
  const session = sessionOfKey(key);
  const command = session === null ? "lockstep run" : planCommand(session);
  return [`${key} is ${String(details?.state)}`, `an active run continues it, else \`${command}\` does`];
}

function grantedLines({ details }: Verdict): readonly string[] {
  const granted = Array.isArray(details?.granted) ? details.granted.map(String) : [];
  return granted.length === 0
    ? ["it holds these paths already"]
    : [`may now also change ${granted.join(", ")}`];
}
