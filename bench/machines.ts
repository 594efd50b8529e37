import { chmodSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { operate } from "../src/engine/operate.ts";
import type { Ledger } from "../src/ledger/ledger.ts";
import { Connection } from "../src/ledger/postgres/connection.ts";
import { migrate } from "../src/ledger/postgres/migrations.ts";
import { openPostgresLedger } from "../src/ledger/postgres/open-ledger.ts";
import { fleet, worker } from "../test/support/fleet.ts";
import { answer, planText, task, writes } from "../test/support/planned-repository.ts";
import { PostgresServer } from "../test/support/postgres-server.ts";
import { eventually } from "../test/support/run-command.ts";
import { builtCommand } from "./built-command.ts";
import { detailsOf, person } from "./fill-ledger.ts";
import { guardServer } from "./guard-server.ts";
import { engineOf, type LedgerProject, ledgerProject } from "./ledger-project.ts";
import { packetOf, taskOf } from "./ledger-tasks.ts";
import { scratchProject } from "./scratch-project.ts";
import { atMost, type Options, type Row, type Section } from "./section.ts";
import { type Candidate, interleave, median, nowMs, quantile } from "./statistics.ts";

/** Multiple of a durable transaction of one row on the same server. */
const commitRatioMax = 2;
/** Multiple of the same call with SQLite. */
const guardRatioMax = 1.2;
const dispatchers = 16;
/** On a machine where SQLite does 200 dispatches a second. */
const p95MsMax = 150;
const usualRate = 200;
const locks = 1000;

export const name = "machines";

/** The ledger that several machines share, compared with that of one machine. */
export async function measure({ quick }: Options): Promise<readonly Section[]> {
  await using server = await startServer();
  return [
    await measureCommit(server, quick ? 50 : 400),
    await measureDispatch(server, quick ? 200 : 800),
    await measureGuard(server, quick ? 300 : 3000),
    await measureFleet(server),
  ];
}

interface Databases extends AsyncDisposable {
  readonly server: PostgresServer;
  /** The URL of a new ledger, for a machine. */
  create(name: string): Promise<string>;
  readonly owner: string;
}

async function startServer(): Promise<Databases> {
  const scratch = scratchProject();
  chmodSync(scratch.path, 0o711);
  const server = await PostgresServer.create(join(scratch.path, "server"), { durable: true });
  return {
    server,
    owner: server.url("postgres"),
    create: async (database) => {
      await server.query("postgres", `CREATE DATABASE ${database}`);
      const connection = await Connection.open({ url: server.url(database) });
      await migrate(connection, { lockstep: "0.1.0", machine: "machine" });
      connection.close();
      await server.query("postgres", "ALTER ROLE machine LOGIN");
      return server.url(database, "machine");
    },
    [Symbol.asyncDispose]: async () => {
      server.stop("immediate");
      scratch[Symbol.dispose]();
    },
  };
}

/** A change with a task and an event, compared with the smallest durable transaction of the server. */
async function measureCommit(server: Databases, rounds: number): Promise<Section> {
  const ledger = await openPostgresLedger({ url: await server.create("commits") });
  const client = new pg.Client({ connectionString: server.owner });
  await client.connect();
  await client.query("CREATE TABLE plain (id int PRIMARY KEY, n bigint); INSERT INTO plain VALUES (1, 0)");
  using home = ledgerProject();
  const engine = engineOf(home.project, ledger);
  let task = 0;
  const candidates: Record<string, Candidate> = {
    "one row, one transaction": () =>
      timed(async () => void (await client.query("UPDATE plain SET n = n + 1 WHERE id = 1"))),
    "a change with its event": () =>
      timed(async () => {
        const event = {
          at: "",
          type: "bench",
          actor: "person",
          cause: "bench",
          task: null,
          from: null,
          to: null,
        };
        const done = await ledger.commit({ events: [{ ...event, data: { some: "text" } }] });
        if (!("ok" in done)) throw new Error(done.conflict);
      }),
    "a whole dispatch": () => {
      task += 1;
      return timed(async () => {
        detailsOf(await operate(engine, "dispatch", { packet: packetOf(taskOf(task)) }, person));
      });
    },
  };
  await interleave(candidates, 20); // warm-up
  const samples = await interleave(candidates, rounds);
  ledger.close();
  await client.end();
  const plain = median(samples["one row, one transaction"] ?? []);
  const rows = Object.entries(samples).map(([way, times]): Row => {
    const ratio = median(times) / plain;
    const isCommit = way === "a change with its event";
    return {
      name: way,
      values: { median: median(times), p95: quantile(times, 0.95), ratio },
      goals: isCommit ? [atMost(ratio, commitRatioMax, "ratio")] : [],
    };
  });
  const columns = [
    { key: "median", unit: "time" },
    { key: "p95", unit: "time" },
    { key: "ratio", unit: "ratio" },
  ] as const;
  return { title: "A durable change on PostgreSQL", columns, rows };
}

/** Many dispatchers, each with its own connection, start tasks that do not overlap. */
async function measureDispatch(server: Databases, tasks: number): Promise<Section> {
  using home = ledgerProject();
  const url = await server.create("dispatches");
  const sqlite = await dispatchAll(home, () => home.open(), tasks);
  const postgres = await dispatchAll(home, () => openPostgresLedger({ url, connectionsMax: 2 }), tasks);
  const slower = usualRate / sqlite.rate;
  const rate = (value: number, limit: number) => ({ text: `≥ ${Math.round(limit)}/s`, met: value >= limit });
  const rows = [
    { name: "SQLite", values: { ...sqlite } },
    {
      name: "PostgreSQL",
      values: { ...postgres },
      goals: [rate(postgres.rate, sqlite.rate), atMost(postgres.p95, p95MsMax * Math.max(1, slower), "time")],
    },
  ];
  const columns = [
    { key: "rate", unit: "count" },
    { key: "median", unit: "time" },
    { key: "p95", unit: "time" },
  ] as const;
  return { title: `${dispatchers} dispatchers at once, dispatches a second`, columns, rows };
}

async function dispatchAll(home: LedgerProject, open: () => Promise<Ledger>, tasks: number) {
  const ledgers = await Promise.all(Array.from({ length: dispatchers }, open));
  const times: number[] = [];
  let next = 0;
  const start = nowMs();
  const dispatch = async (ledger: Ledger) => {
    const engine = engineOf(home.project, ledger);
    while (next < tasks) {
      next += 1;
      const packet = packetOf(taskOf(next));
      times.push(
        await timed(async () => void detailsOf(await operate(engine, "dispatch", { packet }, person))),
      );
    }
  };
  await Promise.all(ledgers.map(dispatch));
  const seconds = (nowMs() - start) / 1000;
  for (const ledger of ledgers) ledger.close();
  return { rate: Math.round(tasks / seconds), median: median(times), p95: quantile(times, 0.95) };
}

/** The answer of a warm server to an agent with a task, for each engine of the ledger. */
async function measureGuard(server: Databases, rounds: number): Promise<Section> {
  using built = builtCommand();
  const url = await server.create("guard");
  await using own = await guardServer(built, locks);
  await using shared = await guardServer(built, locks, url);
  const candidates: Record<string, Candidate> = {
    SQLite: () => timed(() => own.overHttp()),
    PostgreSQL: () => timed(() => shared.overHttp()),
  };
  await interleave(candidates, 300); // warm-up
  const samples = await interleave(candidates, rounds);
  const base = median(samples.SQLite ?? []);
  const rows = Object.entries(samples).map(([engine, times]): Row => {
    const ratio = median(times) / base;
    return {
      name: engine,
      values: { median: median(times), p95: quantile(times, 0.95), ratio },
      goals: engine === "PostgreSQL" ? [atMost(ratio, guardRatioMax, "ratio")] : [],
    };
  });
  const columns = [
    { key: "median", unit: "time" },
    { key: "p95", unit: "time" },
    { key: "ratio", unit: "ratio" },
  ] as const;
  return { title: "A guard call over HTTP on a warm server, an agent with a task", columns, rows };
}

const fleetSize = 4;
const fleetRatioMin = 3;

/** One plan, whose checks take longer than anything else, on one machine and on several. */
async function measureFleet(databases: Databases): Promise<Section> {
  const alone = await runFleet(databases, 1);
  const together = await runFleet(databases, fleetSize);
  const faster = alone.overall / together.overall;
  const goal = { text: `≥ ${fleetRatioMin}×`, met: faster >= fleetRatioMin };
  const valuesOf = ({ overall, proofs }: FleetTimes) => ({
    overall,
    faster: alone.overall / overall,
    "submitted to merged": proofs,
    "of it, faster": alone.proofs / proofs,
  });
  const rows = [
    { name: "one machine", values: valuesOf(alone) },
    { name: `${fleetSize} machines`, values: valuesOf(together), goals: [goal] },
  ];
  const columns = [
    { key: "overall", unit: "time" },
    { key: "faster", unit: "ratio" },
    { key: "submitted to merged", unit: "time" },
    { key: "of it, faster", unit: "ratio" },
  ] as const;
  return {
    title: "Eight tasks, each proven by a check of two seconds, one check at a time on each machine",
    columns,
    rows,
  };
}

interface FleetTimes {
  /** The whole `lockstep run`, on a base that an earlier run merged, so that it is proven already. */
  readonly overall: number;
  /** From the first work that was handed in to the last merge. */
  readonly proofs: number;
}

/** One run, with workers that wait for work. */
async function runFleet({ server, create }: Databases, machines: number): Promise<FleetTimes> {
  const name = `fleet_${machines}`;
  const url = await create(name);
  const raw = (sql: string) => server.query(name, sql);
  const [earlier = "", ...ids] = Array.from({ length: 9 }, (_, at) => `T${at}`);
  const agentOf = (id: string) => `a${id}`;
  const plan = {
    agents: Object.fromEntries([earlier, ...ids].map((id) => [agentOf(id), [[writes(id), answer("OK")]]])),
    tasks: ids.map((id) => task(id, agentOf(id))),
    files: {
      "slow.sh": "sleep 2\ntest -e f.js\n",
      "earlier.yaml": planText([task(earlier, agentOf(earlier))], "earlier"),
    },
    config: 'proof: each\nlimits: { max_parallel: 8, max_proofs: 1 }\nchecks: { default: ["sh slow.sh"] }\n',
  };
  await using all = await fleet(plan, { name, server, url, raw, free: async () => {} });
  using workers = new DisposableStack();
  for (let number = 2; number <= machines; number += 1)
    workers.use(worker(all, all.join(`worker-${number}`), "--slots", "2"));
  await eventually("all workers offer slots", async () => {
    const offering = (await all.status()).machines?.filter(({ slots }) => slots > 0) ?? [];
    return offering.length === machines - 1 ? true : undefined;
  });
  const run = async (...words: string[]) => {
    const { status, stderr } = await all.first.run(["run", ...words, "--json"]);
    if (status !== 0) throw new Error(`the run exits ${status}: ${stderr}`);
  };
  await run("earlier.yaml");
  const beginMs = Date.now();
  const overall = await timed(() => run());
  const { stdout } = await all.first.run(["audit", "list", "--json"]);
  const events = JSON.parse(stdout) as { readonly type: string; readonly at: string }[];
  const timesOf = (type: string) =>
    events
      .flatMap(({ type: each, at }) => (each === type ? [Date.parse(at)] : []))
      .filter((ms) => ms >= beginMs);
  return { overall, proofs: Math.max(...timesOf("task.merged")) - Math.min(...timesOf("task.submitted")) };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = nowMs();
  await work();
  return nowMs() - start;
}
