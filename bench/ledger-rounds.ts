import { LedgerOperations } from "./ledger-operations.ts";
import { type PlainCommits, plainCommits } from "./plain-commit.ts";
import { seededRandom } from "./random.ts";
import { atMost, type Options, type Row, type Section } from "./section.ts";
import { median, quantile } from "./statistics.ts";
import { running, type Stored } from "./stored-ledgers.ts";

const growthMax = 2;
/** An operation writes some 20 pages, the baseline one or two; on a disk with slower syncs, the ratio is lower. */
const dispatchCommitsMax = 6;
const plain = "plain commit";

const operations: Readonly<Record<string, (on: LedgerOperations) => Promise<number>>> = {
  dispatch: (on) => on.dispatch(),
  heartbeat: (on) => on.heartbeat(),
  "heartbeat with tokens": (on) => on.heartbeat(1),
  submit: (on) => on.submit(),
  complete: (on) => on.complete(),
  release: (on) => on.release(),
  "watchdog tick": (on) => on.watchdog(),
};

interface Opened {
  readonly label: string;
  readonly ledgers: readonly LedgerOperations[];
}

/** All ledgers are open at the same time. */
export async function measureOperations(stored: readonly Stored[], { quick }: Options): Promise<Section[]> {
  using stack = new DisposableStack();
  const yardstick = stack.use(plainCommits());
  const opened: Opened[] = [];
  for (const { label, ledgers } of stored) {
    const on: LedgerOperations[] = [];
    for (const { home, ...filled } of ledgers)
      on.push(stack.use(new LedgerOperations(home, await home.open(), filled)));
    opened.push({ label, ledgers: on });
  }
  for (const on of opened.flatMap(({ ledgers }) => ledgers)) await on.reviewAhead();
  await goRound(opened, yardstick, quick ? 10 : 40); // warm-up
  const samples = await goRound(opened, yardstick, quick ? 60 : 300);
  const labels = opened.map(({ label }) => label);
  return [medianSection(samples, labels), spreadSection(samples, labels)];
}

type Samples = Readonly<Record<string, readonly number[]>>;

/**
 * One operation after the other, each on every size and on the baseline, in a new random order: an operation after a
 * different one would pay for cold caches.
 */
async function goRound(opened: readonly Opened[], yardstick: PlainCommits, rounds: number): Promise<Samples> {
  const samples: Record<string, number[]> = {};
  const add = (name: string, spentMs: number) => {
    samples[name] ??= [];
    samples[name].push(spentMs);
  };
  for (let round = 0; round < rounds; round += 1)
    for (const [operation, run] of Object.entries(operations))
      for (const one of shuffled([...opened, plain] as const)) {
        if (one === plain) add(plain, yardstick.commit());
        else {
          const at = Math.floor((round * one.ledgers.length) / rounds);
          add(`${operation} at ${one.label}`, await run(one.ledgers[at] as LedgerOperations));
        }
      }
  return samples;
}

const random = seededRandom(20_260_214);

function shuffled<One>(list: readonly One[]): One[] {
  const drawn = list.map((one) => ({ one, at: random() }));
  return drawn.sort((a, b) => a.at - b.at).map(({ one }) => one);
}

function medianSection(samples: Samples, labels: readonly string[]): Section {
  const biggest = labels.at(-1) ?? "";
  const growth = `${biggest} ÷ 10`;
  const commits = `÷ ${plain}`;
  const commit = median(samples[plain] ?? []);
  const rows = Object.keys(operations).map((operation): Row => {
    const values = forLabels(labels, (label) => median(samples[`${operation} at ${label}`] ?? []));
    const cost = values[biggest] ?? Number.NaN;
    const ratio = cost / (values["10"] ?? Number.NaN);
    const goals = [atMost(ratio, growthMax, "ratio")];
    if (operation === "dispatch") goals.push(atMost(cost / commit, dispatchCommitsMax, "ratio"));
    return { name: operation, values: { ...values, [growth]: ratio, [commits]: cost / commit }, goals };
  });
  rows.push({ name: `${plain}, one row`, values: { [biggest]: commit, [commits]: 1 } });
  const columns = [
    ...labels.map((key) => ({ key, unit: "time" as const })),
    { key: growth, unit: "ratio" },
    { key: commits, unit: "ratio" },
  ] as const;
  return {
    title: `Ledger operations by number of tasks beside ${running} running ones, median`,
    columns,
    rows,
  };
}

function spreadSection(samples: Samples, labels: readonly string[]): Section {
  const figuresOf = (label: string, times: readonly number[]) => ({
    [`${label} p99`]: quantile(times, 0.99),
    [`${label} /s`]: Math.round((1000 * times.length) / times.reduce((sum, ms) => sum + ms, 0)),
  });
  const rows = Object.keys(operations).map((name): Row => {
    const figures = labels.map((label) => figuresOf(label, samples[`${name} at ${label}`] ?? []));
    return { name, values: Object.assign({}, ...figures) };
  });
  rows.push({ name: `${plain}, one row`, values: figuresOf(labels.at(-1) ?? "", samples[plain] ?? []) });
  const columns = [
    ...labels.map((label) => ({ key: `${label} p99`, unit: "time" as const })),
    ...labels.map((label) => ({ key: `${label} /s`, unit: "count" as const })),
  ];
  return { title: "Their 99th percentile, and how many a second one after the other", columns, rows };
}

function forLabels(labels: readonly string[], figure: (label: string) => number): Record<string, number> {
  return Object.fromEntries(labels.map((label) => [label, figure(label)]));
}
