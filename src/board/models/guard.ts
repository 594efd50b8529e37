import type { Compliance, GuardView, Refusal } from "../../contract/board.ts";
import { ruleCodes, ruleText } from "../../core/rules/catalog.ts";
import { isObject } from "../../core/values/fields.ts";
import { orchestratorFolders } from "../../guard/orchestrator/folders.ts";
import {
  type ComplianceReport,
  newestReports,
  passingScore,
  reportOf,
} from "../../guard/orchestrator/report.ts";
import { listStates } from "../../guard/orchestrator/state-store.ts";
import { dataOf } from "../../ledger/event-data.ts";
import type { LedgerEvent } from "../../ledger/ledger.ts";
import { fitting, short } from "./bounded.ts";
import type { BoardPlace, Look } from "./look.ts";

const types = [
  ...(["guard.refused", "guard.strayed", "guard.sent-back", "guard.let-go"] as const),
  ...(["task.denied", "task.rejected", "land.refused"] as const),
];
const eventsMax = 1000;
const latestMax = 40;
const rulesMax = 8;
const bucketsMax = 48;
const scoresMax = 30;

/** What the guard and the rules refused: by rule, by client, over time, and the latest in full. */
export async function guardView(place: BoardPlace, look: Look): Promise<GuardView> {
  const { ledger } = place.engine;
  const found: LedgerEvent[] = [];
  for (const type of types)
    found.push(...(await ledger.events({ type, newestFirst: true, limit: eventsMax })));
  const clientOf = (agent: string) => place.config.agents[agent]?.adapter;
  const refusals = found
    .filter((event) => !isCountedElsewhere(event))
    .toSorted((one, other) => other.seq - one.seq)
    .map((event) => refusalOf(event, look, clientOf));
  const rules = counts(refusals.map(({ code }) => code)).slice(0, rulesMax);
  return {
    total: refusals.length,
    rules: rules.map(([code, count]) => ({ code, title: causeOf(code), count })),
    clients: counts(refusals.map(({ who }) => who))
      .slice(0, rulesMax)
      .map(([name, count]) => ({ name, count })),
    ...bucketsOf(
      refusals,
      rules.map(([code]) => code),
    ),
    latest: fitting(refusals.slice(0, latestMax), 28 * 1024),
    scores: scoresOf(place),
  };
}

/** The refused merge of a task is also a rejection of the task, and one that waits for a person is a question. */
function isCountedElsewhere(event: LedgerEvent): boolean {
  return (
    event.type === "land.refused" && (event.task !== null || dataOf(event, "land.refused")?.waiting === true)
  );
}

function refusalOf(
  { seq, at, type, task, actor, data }: LedgerEvent,
  { names, byKey }: Look,
  clientOf: (agent: string) => string | undefined,
): Refusal {
  const facts = isObject(data) ? data : {};
  const from = isObject(facts.refusal) ? facts.refusal : isObject(facts.fixDelta) ? facts.fixDelta : facts;
  const text = (value: unknown, max: number) => (typeof value === "string" ? short(value, max) : "");
  const agent = byKey.get(task ?? "")?.agent ?? null;
  return {
    ...{ seq, at, task: task !== null && byKey.has(task) ? task : null },
    name: task === null ? null : names.of(task),
    code: text(from.code, 40) || type,
    who: text(facts.agent, 60) || (agent === null ? text(actor, 60) : whoText(agent, clientOf(agent))),
    tool: text(facts.tool, 60),
    target: text(facts.target, 200) || text(facts.branch, 200),
    reason: text(from.reason, 600),
  };
}

/** `coder (claude)`; the agent alone if its client is not configured. */
function whoText(agent: string, client: string | undefined): string {
  return short(client === undefined ? agent : `${agent} (${client})`, 60);
}

/** What the rule is about; empty for an event without a rule. */
function causeOf(code: string): string {
  const rule = ruleCodes.find((one) => one === code);
  return rule === undefined ? "" : short(ruleText(rule).cause);
}

/** The most frequent first. */
function counts(names: readonly string[]): readonly (readonly [string, number])[] {
  const found = new Map<string, number>();
  for (const name of names) found.set(name, (found.get(name) ?? 0) + 1);
  return [...found].sort(([, one], [, other]) => other - one);
}

const bucketSizes = [60, 300, 900, 3600, 4 * 3600, 24 * 3600, 7 * 24 * 3600];

function bucketsOf(
  refusals: readonly Refusal[],
  codes: readonly string[],
): Pick<GuardView, "buckets" | "bucketSeconds"> {
  const times = refusals.map(({ at }) => Date.parse(at) / 1000);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const seconds = bucketSizes.find((size) => (last - first) / size < bucketsMax) ?? 30 * 24 * 3600;
  if (refusals.length === 0) return { buckets: [], bucketSeconds: seconds };
  const start = Math.floor(first / seconds);
  const size = Math.min(bucketsMax, Math.floor(last / seconds) - start + 1);
  const buckets = Array.from({ length: size }, (_, at) => ({
    at: new Date((start + at) * seconds * 1000).toISOString(),
    counts: codes.map(() => 0),
  }));
  for (const [index, { code }] of refusals.entries()) {
    const bucket = buckets[Math.floor((times[index] ?? 0) / seconds) - start];
    const at = codes.indexOf(code);
    if (bucket !== undefined && at !== -1) bucket.counts[at] = (bucket.counts[at] ?? 0) + 1;
  }
  return { buckets, bucketSeconds: seconds };
}

/** Of orchestrating agents: ended sessions, oldest first, then those at work. */
function scoresOf({ project, config }: BoardPlace): readonly Compliance[] {
  const folders = orchestratorFolders(project, config.guard.root);
  const live = listStates(folders)
    .filter(({ state }) => state.agent_role === "orchestrator")
    .map(({ state }) => reportOf(folders, state, new Date()));
  const names = new Set(live.map(({ session_id: id }) => id));
  const ended = newestReports(folders, scoresMax).filter(({ session_id: id }) => !names.has(id));
  return [...ended.toReversed(), ...live].slice(-scoresMax).map(complianceOf);
}

function complianceOf({
  session_id,
  session_end,
  compliance_score,
  total_tool_calls,
  violation_breakdown,
}: ComplianceReport): Compliance {
  return {
    session: short(session_id, 80),
    at: session_end,
    score: compliance_score,
    passing: passingScore,
    calls: total_tool_calls,
    violations: violation_breakdown.slice(0, 10).map(({ type, count }) => ({ type: short(type, 80), count })),
  };
}
