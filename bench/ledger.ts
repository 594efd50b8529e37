import { recordChanges } from "./fill-ledger.ts";
import { LedgerOperations } from "./ledger-operations.ts";
import { measureOverlap } from "./ledger-overlap.ts";
import { measureOperations } from "./ledger-rounds.ts";
import { atMost, type Options, type Row, type Section } from "./section.ts";
import { type Candidate, interleave, median, nowMs } from "./statistics.ts";
import { fillingSection, type Size, type Stored, type StoredLedger, storeLedgers } from "./stored-ledgers.ts";

const sizes: readonly Size[] = [
  { label: "10", tasks: 10, copies: 16 },
  { label: "1k", tasks: 1000, copies: 4 },
  { label: "10k", tasks: 10_000, copies: 1 },
  { label: "100k", tasks: 100_000, copies: 1 },
];
const quickSizes: readonly Size[] = [
  { label: "10", tasks: 10, copies: 4 },
  { label: "10k", tasks: 10_000, copies: 1 },
];

const growthMax = 2;

export const name = "ledger";

export async function measure(options: Options): Promise<readonly Section[]> {
  using stack = new DisposableStack();
  const recorded = await recordChanges();
  const stored: Stored[] = [];
  for (const size of options.quick ? quickSizes : sizes)
    stored.push(await storeLedgers(size, recorded, stack));
  const filling = fillingSection(stored);
  const opening = await measureOpening(stored, options);
  const operations = await measureOperations(stored, options);
  return [...operations, await measureOverlap(recorded, options), opening, filling];
}

/** Opens the ledger like a command. */
const ways: Readonly<Record<string, (ledger: StoredLedger) => Promise<void>>> = {
  "open, close": async ({ home }) => (await home.open()).close(),
  "open, heartbeat, close": async ({ home, ...filled }) => {
    using on = new LedgerOperations(home, await home.open(), filled);
    await on.heartbeat();
  },
};

/** The hourly check was made by the first opening after the filling. */
async function measureOpening(stored: readonly Stored[], { quick }: Options): Promise<Section> {
  const rows: Row[] = [];
  for (const [way, run] of Object.entries(ways)) {
    const candidates: Record<string, Candidate> = {};
    for (const { label, ledgers } of stored)
      candidates[label] = async () => {
        const start = nowMs();
        await run(ledgers[0] as StoredLedger);
        return nowMs() - start;
      };
    await interleave(candidates, 5); // warm-up
    const samples = Object.entries(await interleave(candidates, quick ? 20 : 100));
    const values = Object.fromEntries(samples.map(([label, times]) => [label, median(times)]));
    const biggest = values[stored.at(-1)?.label ?? ""] ?? Number.NaN;
    // A small ledger is checked at each opening, so the smallest one is not the cheapest.
    const ratio = biggest / Math.min(...Object.values(values));
    rows.push({
      name: way,
      values: { ...values, "÷ cheapest": ratio },
      goals: [atMost(ratio, growthMax, "ratio")],
    });
  }
  const columns = [
    ...stored.map(({ label }) => ({ key: label, unit: "time" as const })),
    { key: "÷ cheapest", unit: "ratio" },
  ] as const;
  return { title: "Opening the ledger by number of tasks, median", columns, rows };
}
