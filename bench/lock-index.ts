import { type Entry, readEntry } from "../src/core/paths/entry.ts";
import { PathIndex } from "../src/core/paths/path-index.ts";
import { fileOf, folderOf, freeOf, lockOf } from "./lock-paths.ts";
import { seededRandom } from "./random.ts";
import { atMost, type Options, type Row, type Section } from "./section.ts";
import { type Candidate, interleave, median, nowMs } from "./statistics.ts";

/**
 * Small indexes are built many times and asked in turn: a single one would stay in the processor's caches, and the
 * comparison with a million locks would compare caches instead of sizes.
 */
interface Size {
  readonly label: string;
  readonly size: number;
  readonly copies: number;
}

const sizes: readonly Size[] = [
  { label: "10", size: 10, copies: 5000 },
  { label: "1k", size: 1000, copies: 50 },
  { label: "100k", size: 100_000, copies: 1 },
  { label: "1M", size: 1_000_000, copies: 1 },
];

const sizeMax = 1_000_000;
const place = { root: "/repo" };
const locksPerTask = 5;
const costMsMax = 0.005;
const growthMax = 10;
const batch = 250;
const seed = 20_260_214;

/** A kind of question: the text, the question, and whether it must find something. */
interface Question {
  readonly name: string;
  text(number: number): string;
  ask(index: PathIndex, entry: Entry): unknown;
  readonly hits: boolean;
}

const overlapping = (index: PathIndex, entry: Entry) => index.overlapping(entry);
const covering = (index: PathIndex, { shapes: [shape] }: Entry) =>
  shape === undefined ? undefined : index.covering(shape);

const questions: readonly Question[] = [
  { name: "overlap, plain path, hit", text: fileOf, ask: overlapping, hits: true },
  { name: "overlap, plain path, miss", text: freeOf, ask: overlapping, hits: false },
  { name: "overlap, dir/**, hit", text: (at) => `${folderOf(at)}/**`, ask: overlapping, hits: true },
  { name: "overlap, dir/**, miss", text: (at) => `${freeOf(at)}/**`, ask: overlapping, hits: false },
  { name: "containment, hit", text: (at) => `${fileOf(at)}/x`, ask: covering, hits: true },
  { name: "containment, miss", text: freeOf, ask: covering, hits: false },
];

interface Built {
  readonly label: string;
  readonly size: number;
  readonly copies: readonly PathIndex[];
  readonly spentMs: number;
  readonly bytes: number;
}

export const name = "lock-index";

export async function measure({ quick }: Options): Promise<readonly Section[]> {
  const chosen = quick ? sizes.filter(({ label }) => label !== "100k") : sizes;
  const built = chosen.map((one) => build(quick ? { ...one, copies: Math.ceil(one.copies / 5) } : one));
  const random = seededRandom(seed);
  const rows: Row[] = [];
  for (const question of questions)
    rows.push(await askAll(question, built, { random, rounds: quick ? 10 : 120 }));
  const time = (key: string) => ({ key, unit: "time" }) as const;
  const columns = [
    ...built.map(({ label }) => time(label)),
    { key: "1M ÷ 10", unit: "ratio" },
    time("10 in cache"),
    time("1M in cache"),
    time("1M, text read too"),
  ] as const;
  return [{ title: "Lock checks by number of locks held", columns, rows }, buildSection(built)];
}

async function askAll(
  question: Question,
  built: readonly Built[],
  { random, rounds }: { random: () => number; rounds: number },
): Promise<Row> {
  const candidates: Record<string, Candidate> = {};
  for (const { label, size, copies } of built)
    candidates[label] = () => timeChecks(question, drawAsked({ size, copies, random, distinct: batch }));
  for (const { label, size, copies } of [built.at(0), built.at(-1)] as Built[])
    candidates[`${label} in cache`] = () => {
      const asked = drawAsked({ size, copies: copies.slice(0, 1), random, distinct: 10 });
      timeChecks(question, asked);
      return timeChecks(question, asked);
    };
  const biggest = built.at(-1) as Built;
  candidates["1M, text read too"] = () =>
    timeReadAndCheck(question, drawAsked({ ...biggest, random, distinct: batch }));
  await interleave(candidates, Math.ceil(rounds / 4)); // warm-up
  const samples = Object.entries(await interleave(candidates, rounds));
  const values = Object.fromEntries(samples.map(([label, times]) => [label, median(times)]));
  const cost = values["1M"] ?? Number.NaN;
  const growth = cost / (values["10"] ?? Number.NaN);
  return {
    name: question.name,
    values: { ...values, "1M ÷ 10": growth },
    goals: [atMost(cost, costMsMax, "time"), atMost(growth, growthMax, "ratio")],
  };
}

interface Asked {
  readonly index: PathIndex;
  readonly number: number;
}

interface Draw {
  readonly size: number;
  readonly copies: readonly PathIndex[];
  readonly random: () => number;
  /** The number of different locks in the questions of a batch. */
  readonly distinct: number;
}

function drawAsked({ size, copies, random, distinct }: Draw): readonly Asked[] {
  const drawn = Array.from({ length: distinct }, () => ({
    index: copies[Math.floor(random() * copies.length)] as PathIndex,
    number: numberOf(Math.floor(random() * size), size),
  }));
  return Array.from({ length: batch }, (_, at) => drawn[at % distinct] as Asked);
}

/** The numbers of a small set are spread over those of the largest one, so that all have similar paths. */
function numberOf(at: number, size: number): number {
  return at * Math.floor(sizeMax / size);
}

/** Milliseconds per check. The entries are new strings in every batch. */
function timeChecks(question: Question, asked: readonly Asked[]): number {
  const ready = asked.map(({ index, number }) => ({ index, entry: entryOf(question.text(number)) }));
  return timeBatch(question, ready, ({ index, entry }) => question.ask(index, entry));
}

function timeReadAndCheck(question: Question, asked: readonly Asked[]): number {
  const ready = asked.map(({ index, number }) => ({ index, text: question.text(number) }));
  return timeBatch(question, ready, ({ index, text }) => question.ask(index, entryOf(text)));
}

function timeBatch<One>({ name, hits }: Question, asked: readonly One[], ask: (one: One) => unknown): number {
  let found = 0;
  const start = nowMs();
  for (const one of asked) if (ask(one) !== undefined) found += 1;
  const spent = nowMs() - start;
  if (found !== (hits ? asked.length : 0)) throw new Error(`${name}: ${found} of ${asked.length} found`);
  return spent / asked.length;
}

function build({ label, size, copies }: Size): Built {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const start = nowMs();
  const indexes = Array.from({ length: copies }, () => {
    const index = new PathIndex();
    for (let at = 0; at < size; at += 1)
      index.add(`T-${Math.floor(at / locksPerTask)}`, entryOf(lockOf(numberOf(at, size))));
    return index;
  });
  const spentMs = nowMs() - start;
  globalThis.gc?.();
  return { label, size, copies: indexes, spentMs, bytes: process.memoryUsage().heapUsed - before };
}

function entryOf(text: string): Entry {
  const read = readEntry(text, place);
  if ("error" in read) throw new Error(`\`${text}\` is no lock: ${read.error}`);
  return read.entry;
}

function buildSection(built: readonly Built[]): Section {
  const columns = [
    { key: "build", unit: "time" },
    { key: "per lock", unit: "time" },
    { key: "heap", unit: "bytes" },
  ] as const;
  const rows = built.slice(2).map(({ label, size, spentMs, bytes }): Row => {
    return { name: `${label} locks`, values: { build: spentMs, "per lock": spentMs / size, heap: bytes } };
  });
  return { title: "Building the index, text read too", columns, rows };
}
