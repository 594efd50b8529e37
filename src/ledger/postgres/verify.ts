import type { TaskState } from "../../core/tasks/states.ts";
import type { Task } from "../../core/tasks/task.ts";
import { beginning, canonicalJson, link, type Tail } from "../event-chain.ts";
import type { Attempt, Decision, LedgerEvent, NewLock, Role, Verification } from "../ledger.ts";
import { prefixesOf } from "../lock-prefixes.ts";
import type { OutsideHead } from "../outside-head.ts";
import type { Connection } from "./connection.ts";
import { column } from "./envelope.ts";
import { findLoss } from "./known-head.ts";

type Problem = Verification["problems"][number];
type Row = Readonly<Record<string, unknown>> & { readonly body: string };

const pageRows = 1000;
const problemsMax = 1000;

/** Checks all rows in pages: the chain of events, and each column and derived table against the documents. */
export async function verifyLedger(
  connection: Connection,
  head: OutsideHead | undefined,
): Promise<Verification> {
  const known = head?.read();
  const problems: Problem[] = [];
  const { states, tail } = await checkEvents(connection, problems);
  if (known !== undefined && known !== "missing") {
    const loss =
      known === "unreadable"
        ? "the record of the ledger on this machine was changed"
        : await findLoss(connection, known);
    if (loss !== undefined) problems.push({ problem: loss });
  }
  const [meta] = await connection.rows("SELECT seq::float8, hash FROM lockstep.meta");
  if (meta?.seq === tail.seq && meta.hash !== tail.hash)
    problems.push({ seq: tail.seq, problem: "the last event is not the one that the ledger continues from" });
  if ((meta?.seq as number) < tail.seq)
    problems.push({ problem: "there are more events than were committed" });
  for (const table of Object.keys(expected)) await checkTable(connection, table, problems);
  await checkStates(connection, states, problems);
  await checkDerived(connection, problems);
  return { events: tail.seq, problems: problems.slice(0, problemsMax) };
}

/** INV-5: follows the chain and the states of the tasks. */
async function checkEvents(connection: Connection, problems: Problem[]) {
  const states = new Map<string, TaskState>();
  let tail: Tail = beginning;
  for (;;) {
    const rows = await connection.rows<Row>(
      "SELECT seq::float8, body, hash, task, type FROM lockstep.events WHERE seq > $1 ORDER BY seq LIMIT $2",
      [tail.seq, pageRows],
    );
    for (const row of rows) {
      const { seq, hash } = row as unknown as Tail;
      const event = { ...JSON.parse(row.body), hash } as LedgerEvent;
      if (seq !== tail.seq + 1)
        problems.push({ seq: tail.seq + 1, problem: `events ${tail.seq + 1} to ${seq - 1} are missing` });
      else if (event.seq !== seq || link(tail, event).hash !== hash)
        problems.push({
          seq,
          problem: `event ${seq} does not follow from the one before: one of them was changed`,
        });
      if (row.task !== column(event.task) || row.type !== column(event.type))
        problems.push({ seq, problem: `event ${seq} is listed under another task or type` });
      if (event.task !== null && event.to !== null) {
        const was = states.get(event.task) ?? null;
        if (was !== event.from)
          problems.push({
            seq,
            problem: `event ${seq} takes task \`${event.task}\` from ${event.from}, but it was ${was}`,
          });
        states.set(event.task, event.to);
      }
      tail = { seq, hash };
    }
    if (rows.length < pageRows) return { states, tail };
  }
}

/** The columns that each document must be stored with. */
const expected: Readonly<Record<string, (body: never) => Readonly<Record<string, unknown>>>> = {
  tasks: ({ key, version, state, session, hold }: Task) => ({
    ...{ key, version, state, session: column(session), waits_for: column(hold?.by) },
  }),
  attempts: ({ version, task, number, leaseState }: Attempt) => ({
    ...{ key: `${task}#${number}`, version, task, number, lease_state: leaseState },
  }),
  decisions: ({ id, version, state }: Decision) => ({ key: id, version, state }),
  sessions: ({ name, version }: { name: string; version: number }) => ({ key: name, version }),
  roles: ({ name, version, epoch }: Role) => ({ key: name, version, epoch }),
  locks: ({ task, kind, resource }: NewLock) => ({ task, kind, resource: column(resource) }),
  evidence: ({ key, exit }: { key: string; exit: number | null }) => ({ key, failed: exit !== 0 }),
};

async function checkTable(connection: Connection, table: string, problems: Problem[]): Promise<void> {
  const id = table === "locks" ? "id" : "key";
  let last: unknown = null;
  for (;;) {
    const rows = await connection.rows<Row>(
      `SELECT to_json(t) AS row FROM lockstep.${table} t WHERE $1::text IS NULL OR ${id} > $1::${id === "id" ? "bigint" : "text"}
        ORDER BY ${id} LIMIT $2`,
      [last, pageRows],
    );
    for (const row of rows.map(({ row: found }) => found as Row)) {
      const wanted = wantedColumns(table, row.body);
      const wrong = Object.entries(wanted ?? { body: null }).find(([name, value]) => row[name] !== value);
      if (wrong !== undefined)
        problems.push({
          problem: `row \`${String(row[id])}\` of table ${table} does not match its document in \`${wrong[0]}\``,
        });
      last = row[id];
    }
    if (rows.length < pageRows) return;
  }
}

function wantedColumns(table: string, body: string) {
  try {
    const document: unknown = JSON.parse(body);
    return canonicalJson(document) === body ? expected[table]?.(document as never) : undefined;
  } catch {
    return undefined;
  }
}

async function checkStates(
  connection: Connection,
  states: ReadonlyMap<string, TaskState>,
  problems: Problem[],
): Promise<void> {
  const rows = await connection.rows<Row>("SELECT key, state, body FROM lockstep.tasks ORDER BY key");
  for (const { key, state } of rows) {
    const last = states.get(key as string) ?? null;
    if (state !== last)
      problems.push({ problem: `task \`${key}\` is ${state}, but its events end at ${last}` });
  }
  const archived = await connection.rows("SELECT task AS key FROM lockstep.archived");
  const keys = new Set([...rows, ...archived].map(({ key }) => key));
  for (const task of states.keys())
    if (!keys.has(task)) problems.push({ problem: `task \`${task}\` is missing, but it has events` });
}

/** The tables of dependencies and prefixes have a row for each dependency and active lock, and no other. */
async function checkDerived(connection: Connection, problems: Problem[]): Promise<void> {
  const compare = (table: string, stored: readonly string[], wanted: ReadonlySet<string>) => {
    const found = new Set(stored);
    for (const one of wanted) if (!found.has(one)) problems.push({ problem: `table ${table} lacks ${one}` });
    for (const one of found)
      if (!wanted.has(one)) problems.push({ problem: `table ${table} has ${one}, which belongs to nothing` });
  };
  const tasks = await connection.rows<Row>("SELECT key, body FROM lockstep.tasks");
  const dependencies = await connection.rows("SELECT needed, task FROM lockstep.dependencies");
  compare(
    "dependencies",
    dependencies.map(({ needed, task }) => `\`${needed}\` of task \`${task}\``),
    new Set(
      tasks.flatMap(({ key, body }) =>
        (JSON.parse(body) as Task).dependsOn.map((needed) => `\`${needed}\` of task \`${key}\``),
      ),
    ),
  );
  const locks = await connection.rows<Row>("SELECT id, body FROM lockstep.locks WHERE active");
  const prefixes = await connection.rows("SELECT prefix, lock FROM lockstep.lock_prefixes");
  compare(
    "lock_prefixes",
    prefixes.map(({ prefix, lock }) => `\`${prefix}\` of lock ${lock}`),
    new Set(
      locks.flatMap(({ id, body }) =>
        prefixesOf(JSON.parse(body) as NewLock).map((prefix) => `\`${column(prefix)}\` of lock ${id}`),
      ),
    ),
  );
}
