import { findSecrets } from "../src/core/secrets/find-secrets.ts";
import { mayHoldSecret } from "../src/core/secrets/may-hold-secret.ts";
import { freshProcess } from "./fresh-process.ts";
import type { Options, Row, Section } from "./section.ts";
import { interleave, median, timeOne } from "./statistics.ts";

const prose =
  "Rounded prices half-even and added the edge cases from the issue. All 214 tests pass; the slowest takes " +
  "1.2 s, as before. Nothing is left open, and the change is ready for review and for the next task.";
const hash = `${prose} Built from commit 9fceb02d0ae598e95dc970b74767f19372d61af8.`;
const forPreset = `${prose} The docs now say postgres://app@db.internal:5432/orders in step 2.`;

const notes: readonly { readonly name: string; readonly text: string; readonly preset: boolean }[] = [
  { name: "prose of 200 characters", text: prose, preset: false },
  { name: "the same with a commit hash", text: hash, preset: false },
  { name: "a note for the preset", text: forPreset, preset: true },
  { name: "64 KiB of prose", text: repeat(prose), preset: false },
  { name: "64 KiB of notes for the preset", text: repeat(forPreset), preset: true },
];

export const name = "secret-scan";

export async function measure({ quick }: Options): Promise<readonly Section[]> {
  for (const { name, text, preset } of notes)
    if (mayHoldSecret(text) !== preset)
      throw new Error(`${name}: loads the preset, or does not, against its name`);
  const warm = await interleave(
    Object.fromEntries(
      notes.map(({ name, text }) => [name, () => timeOne(() => findSecrets(text), quick ? 5 : 20)]),
    ),
    quick ? 10 : 40,
  );
  const rows: Row[] = [];
  for (const { name, text } of notes.slice(0, 3))
    rows.push(await coldRow(name, text, { quick, warm: warm[name] }));
  for (const { name } of notes.slice(3)) rows.push({ name, values: { warm: median(warm[name] ?? []) } });
  return [
    {
      title: "Secret scan of one note; load and first call in a fresh process",
      columns: (["warm", "load", "first call"] as const).map((key) => ({ key, unit: "time" })),
      rows,
    },
  ];
}

async function coldRow(
  name: string,
  text: string,
  { quick, warm = [] }: { quick: boolean; warm: readonly number[] | undefined },
): Promise<Row> {
  const call = "module.findSecrets(input)";
  using process = await freshProcess({ module: "core/secrets/find-secrets.ts", call, input: text });
  const samples = Array.from({ length: quick ? 3 : 15 }, () => process.time());
  return {
    name,
    values: {
      warm: median(warm),
      load: median(samples.map(({ loadMs }) => loadMs)),
      "first call": median(samples.map(({ callMs }) => callMs)),
    },
  };
}

function repeat(text: string): string {
  return `${text}\n`.repeat(Math.ceil((64 * 1024) / (text.length + 1))).slice(0, 64 * 1024);
}
