import { operate } from "../src/engine/operate.ts";
import type { Ledger } from "../src/ledger/ledger.ts";
import { fillLedger, person, type Recorded } from "./fill-ledger.ts";
import { engineOf, type LedgerProject, ledgerProject } from "./ledger-project.ts";
import { type BenchTask, locksPerTask, packetOf, taskOf } from "./ledger-tasks.ts";
import { seededRandom } from "./random.ts";
import { atMost, type Options, type Row, type Section } from "./section.ts";
import { type Candidate, interleave, median, nowMs } from "./statistics.ts";

const sizes = [
  { label: "100", locks: 100 },
  { label: "10k", locks: 10_000 },
] as const;
const growthMax = 2;
const batch = 20;
const seed = 20_260_214;

/** A ledger with running tasks only. */
interface Held {
  readonly label: string;
  readonly home: LedgerProject;
  readonly ledger: Ledger;
  readonly tasks: number;
}

/** A task that holds locks, and an unknown one. */
interface Drawn {
  readonly held: BenchTask;
  readonly free: BenchTask;
}

/** A question, and whether it must find a lock. */
interface Question {
  ask(one: Held, drawn: Drawn): Promise<boolean>;
  readonly hits: boolean;
  /** Every lock is below the path of the question: the answer itself grows. */
  readonly linear?: true;
}

const near = (pathOf: (drawn: Drawn) => string) => async (one: Held, drawn: Drawn) =>
  (await one.ledger.locksNear([pathOf(drawn)])).length > 0;

const dispatch = (taskOfDrawn: (drawn: Drawn) => BenchTask) => async (one: Held, drawn: Drawn) => {
  const packet = packetOf({ ...drawn.free, folder: taskOfDrawn(drawn).folder });
  const engine = engineOf(one.home.project, one.ledger);
  return !(await operate(engine, "dispatch", { packet }, { ...person, dryRun: true })).allow;
};

const questions: Readonly<Record<string, Question>> = {
  "locks near a free path": { ask: near(({ free }) => `${free.folder}/price.ts`), hits: false },
  "locks near a path beside held ones": { ask: near(({ held }) => `${held.folder}/new.ts`), hits: false },
  "locks near a held path": { ask: near(({ held }) => `${held.folder}/price.ts`), hits: true },
  "locks near a folder of held ones": { ask: near(({ held }) => held.folder), hits: true },
  "locks near everything": { ask: near(() => ""), hits: true, linear: true },
  "dispatch of a free scope, dry run": { ask: dispatch(({ free }) => free), hits: false },
  "dispatch of a held scope, dry run": { ask: dispatch(({ held }) => held), hits: true },
};

export async function measureOverlap(recorded: Recorded, { quick }: Options): Promise<Section> {
  using stack = new DisposableStack();
  const random = seededRandom(seed);
  const all: Held[] = [];
  for (const { label, locks } of sizes) {
    const home = stack.use(ledgerProject());
    const ledger = await home.open();
    stack.defer(() => ledger.close());
    const tasks = Math.ceil(locks / locksPerTask);
    await fillLedger(ledger, recorded, { finished: 0, waiting: 0, running: tasks });
    all.push({ label, home, ledger, tasks });
  }
  const rows: Row[] = [];
  for (const [name, question] of Object.entries(questions)) {
    const candidates: Record<string, Candidate> = {};
    for (const one of all) candidates[one.label] = () => timeBatch(question, one, random);
    const rounds = (quick ? 10 : 60) / (question.linear === true ? 10 : 1);
    await interleave(candidates, Math.ceil(rounds / 4)); // warm-up
    const samples = await interleave(candidates, rounds);
    const [few, many] = sizes.map(({ label }) => median(samples[label] ?? [])) as [number, number];
    const growth = many / few;
    const values = { "100": few, "10k": many, "10k ÷ 100": growth };
    rows.push({
      name,
      values,
      ...(question.linear === true ? {} : { goals: [atMost(growth, growthMax, "ratio")] }),
    });
  }
  const columns = [
    { key: "100", unit: "time" },
    { key: "10k", unit: "time" },
    { key: "10k ÷ 100", unit: "ratio" },
  ] as const;
  return { title: "Finding overlaps by number of active locks in the ledger", columns, rows };
}

/** Milliseconds per question, each about other tasks. */
async function timeBatch({ ask, hits }: Question, one: Held, random: () => number): Promise<number> {
  const draw = () => Math.floor(random() * one.tasks);
  const drawn = Array.from({ length: batch }, () => ({
    held: taskOf(draw()),
    free: taskOf(one.tasks + draw()),
  }));
  const start = nowMs();
  for (const each of drawn)
    if ((await ask(one, each)) !== hits)
      throw new Error(`${each.held.key}: ${hits ? "nothing" : "a lock"} was found`);
  return (nowMs() - start) / batch;
}
