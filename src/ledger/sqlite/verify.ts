import { setImmediate as nextTurn } from "node:timers/promises";
import type { Verification } from "../ledger.ts";
import { StoreFault } from "../store-fault.ts";
import { EventWalk, findLoss, type KnownHead, type Problem } from "./check-events.ts";
import { checkDependencies, checkPrefixes, checkTable } from "./check-rows.ts";
import type { Connection } from "./connection.ts";
import { whySchemaChanged } from "./migrations.ts";
import { sealedTables } from "./schema.ts";

const problemsMax = 1000;

type Check = Generator<Problem[]>;

/**
 * Checks the whole ledger in small steps, each in its own transaction, and lets other work run between them. The
 * heads are read before the first step, so everything they record must be in the ledger.
 */
export async function verifyLedger(
  connection: Connection,
  heads: readonly KnownHead[],
): Promise<Verification> {
  const walk = new EventWalk(connection);
  const problems: Problem[] = [];
  for (const check of checksOf(connection, walk, heads)) {
    while (problems.length < problemsMax) {
      const step = await connection.snapshot(() => nextStep(check));
      problems.push(...step.found);
      if (step.done) break;
      await nextTurn();
    }
  }
  return { events: walk.events, problems: problems.slice(0, problemsMax) };
}

/** If SQLite cannot read a page, that check ends and the next one starts. */
function nextStep(check: Check): { readonly found: readonly Problem[]; readonly done: boolean } {
  try {
    const { value, done } = check.next();
    return { found: value ?? [], done: done === true };
  } catch (error) {
    if (!(error instanceof StoreFault) || error.kind !== "corrupt") throw error;
    return { found: [{ problem: (error.cause as Error | undefined)?.message ?? error.message }], done: true };
  }
}

function checksOf(connection: Connection, walk: EventWalk, heads: readonly KnownHead[]): readonly Check[] {
  return [
    walk.pages(),
    once(() => heads.map((head) => findLoss(connection, head)).filter((loss) => loss !== undefined)),
    ...sealedTables
      .filter((table) => table !== "events" && table !== "tasks")
      .map((table) => checkTable(connection, table)),
    checkTasks(connection, walk),
    checkDependencies(connection),
    checkPrefixes(connection),
    once(() => [whySchemaChanged(connection)].flatMap((problem) => (problem ? [{ problem }] : []))),
    ...[...sealedTables, "dependencies", "lock_prefixes"].map((table) => checkPages(connection, table)),
  ];
}

/** INV-5: a task is in the state that its events lead to. The newest events are read in the same step. */
function* checkTasks(connection: Connection, walk: EventWalk): Check {
  const pages = checkTable(connection, "tasks", ({ key, body }) => {
    const { state } = body as { state: string };
    const last = walk.stateOf(key as string);
    return state === last ? [] : [{ problem: `task \`${key}\` is ${state}, but its events end at ${last}` }];
  });
  for (;;) {
    const late = [...walk.pages()].flat();
    const { value, done } = pages.next();
    yield [...late, ...(value ?? [])];
    if (done === true) break;
  }
  const missing = (task: string) => connection.row("SELECT 1 FROM tasks WHERE key = ?", task) === undefined;
  yield [...walk.tasks()]
    .filter(missing)
    .map((task) => ({ problem: `task \`${task}\` is missing, but it has events` }));
}

function* checkPages(connection: Connection, table: string): Check {
  const rows = connection.rows(`PRAGMA integrity_check(${table})`);
  yield rows
    .map((row) => String(Object.values(row)[0]))
    .flatMap((text) => (text === "ok" ? [] : [{ problem: text }]));
}

function* once(find: () => Problem[]): Check {
  yield find();
}
