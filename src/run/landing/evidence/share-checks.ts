import type { Engine } from "../../../engine/change/engine.ts";
import { type RecordedProof, readOutput } from "../../../workspace/state/check-outputs.ts";

type Source = Pick<Engine, "ledger" | "machine">;

/** The ends of the outputs that another machine has in files, by the paths of these files. */
interface SharedProof {
  readonly proof: RecordedProof;
  readonly ends: Readonly<Record<string, OutputEnd>>;
}

export interface OutputEnd {
  readonly machine: string;
  /** The bytes before it, which only that machine has. */
  readonly from: number;
  readonly text: string;
}

/** For all failed checks of one proof. */
const endsBytesMax = 32 * 1024;

/** Keeps the record of a task's last proof where other machines can read it, with the ends of the outputs. */
export async function keepChecks(
  { ledger: { logs }, machine }: Source,
  { proof, file }: { readonly proof: RecordedProof; readonly file: string },
): Promise<void> {
  if (logs === undefined || machine === undefined) return;
  const outputs = [...new Set(proof.checks.flatMap(({ log }) => log ?? []))];
  const bytesMax = Math.floor(endsBytesMax / Math.max(1, outputs.length));
  const ends = outputs.flatMap((path) => {
    const whole = readOutput(path);
    return whole === undefined ? [] : [[path, { machine, ...endOf(whole, bytesMax) }] as const];
  });
  const shared: SharedProof = { proof, ends: Object.fromEntries(ends) };
  await logs.keep(keyOf(proof.name), { machine, file, from: 0, text: JSON.stringify(shared) });
}

/** The newest record of a task's proofs that another machine has kept, or another clone on this one. */
export async function readSharedChecks(
  { ledger: { logs }, machine }: Source,
  { task, stateFolder }: { readonly task: string; readonly stateFolder: string },
): Promise<SharedProof | undefined> {
  const tails = (await logs?.ask(keyOf(task))) ?? [];
  const isOwn = (file: string) => file.startsWith(`${stateFolder}/`);
  const elsewhere = tails.filter((tail) => tail.machine !== machine || !isOwn(tail.file));
  const shared = elsewhere.map(({ text }) => JSON.parse(text) as SharedProof);
  return shared.sort((one, other) => (one.proof.at < other.proof.at ? 1 : -1))[0];
}

/** No task has a space in its name. */
function keyOf(task: string): string {
  return `${task} checks`;
}

/** Whole lines, unless one alone is longer. */
function endOf(whole: string, bytesMax: number): { readonly from: number; readonly text: string } {
  const bytes = Buffer.from(whole);
  if (bytes.length <= bytesMax) return { from: 0, text: whole };
  const cut = bytes.length - bytesMax;
  const line = bytes.indexOf("\n", cut) + 1;
  const isWhole = line > 0 && line < bytes.length;
  const from = isWhole ? line : cut;
  return { from, text: bytes.toString("utf8", from) };
}
