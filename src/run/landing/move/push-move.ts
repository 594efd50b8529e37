import { nextNotesRef, sharedNotesRef, trackedNotesRef, trackingRef } from "../../../core/names/ref-names.ts";
import type { BaseMove, RemoteMove } from "../../../engine/change/base-moves.ts";
import type { HeldRole } from "../../../engine/change/hold-role.ts";
import { changeRefs } from "../../../workspace/git/ref-writer.ts";
import { readRef } from "../../../workspace/git/refs.ts";
import { type Pushed, pushRefs, RemoteFault, readRemoteRefs } from "../../../workspace/git/remote.ts";
import { type NewNotes, writeNotes } from "../evidence/keep-proofs.ts";
import { pushedTo } from "../fresh-base.ts";
import type { IntegrationContext } from "../integration.ts";
import type { NotMoved } from "./move-base.ts";

/** A move whose base is at a remote, with the notes that are pushed with it. Other moves stay as they are. */
export async function withNotes(
  context: Pick<IntegrationContext, "repository" | "config">,
  move: BaseMove,
  { epoch }: HeldRole,
): Promise<BaseMove> {
  const remote = pushedTo(context);
  if (remote === undefined) return move;
  const { root } = context.repository;
  const { name } = remote;
  const from = (await readRef(root, trackedNotesRef(name))) ?? null;
  const message = withEpoch("Proofs that Lockstep made", epoch);
  const notesTo = await writeNext(root, name, move.batch, { from, message, proven: move.members });
  const notes = sharedNotesRef(remote.transport);
  return { ...move, remote: { name, notes, notesFrom: from, notesTo } };
}

/** Moves base and notes at the remote together. Both stay if either is not what the move expects. */
export async function pushMove(
  root: string,
  { base, from, to, batch, remote }: BaseMove & { readonly remote: RemoteMove },
): Promise<NotMoved | undefined> {
  const { name, notes, notesFrom, notesTo } = remote;
  const pushed = [
    { ref: `refs/heads/${base}`, to, from },
    { ref: notes, to: notesTo, from: notesFrom },
  ];
  const stopped = await pushRefs(root, remote, pushed);
  if (stopped?.how === "unknown") return { why: `\`${name}\`: ${stopped.why}`, trouble: "fails" };
  await dropNext(root, name, batch);
  if (stopped === undefined) {
    await track(root, trackingRef(name, base), { from, to });
    await track(root, trackedNotesRef(name), { from: notesFrom ?? undefined, to: notesTo });
    return undefined;
  }
  if (await hasChanged(root, name, pushed)) return "moved";
  const ways = "`integrate: pr` opens pull requests instead, `lockstep doctor` tests what the remote accepts";
  return { why: `\`${name}\` refuses the push: ${stopped.why}; ${ways}`, trouble: "refuses" };
}

/**
 * Sets the notes to a commit with the epoch of the new integrator. Any push that expects the notes as they were is refused
 * from then on. Returns false if the notes have changed meanwhile.
 */
export async function claimNotes(
  root: string,
  { base, remote: { name, notes } }: BaseMove & { readonly remote: RemoteMove },
  { from, epoch }: { readonly from: string | null; readonly epoch: number },
): Promise<boolean> {
  const message = withEpoch(`Integrator of ${base}`, epoch);
  const to = await writeNext(root, name, `claim-${epoch}`, { from, message, proven: [] });
  const pushed = [{ ref: notes, to, from }];
  const stopped = await pushRefs(root, { name }, pushed);
  await dropNext(root, name, `claim-${epoch}`);
  if (stopped === undefined) return true;
  if (stopped.how === "rejected" && (await hasChanged(root, name, pushed))) return false;
  throw new RemoteFault(name, stopped.why);
}

function withEpoch(subject: string, epoch: number): string {
  return `${subject}\n\nLockstep-Epoch: ${epoch}\n`;
}

function writeNext(
  root: string,
  remote: string,
  name: string,
  notes: Omit<NewNotes, "ref">,
): Promise<string> {
  return writeNotes(root, { ...notes, ref: nextNotesRef(remote, name) });
}

/** Removes the ref that kept notes until they were pushed. */
export function dropNext(root: string, remote: string, name: string): Promise<void> {
  return changeRefs(root, [{ ref: nextNotesRef(remote, name), to: undefined }]);
}

/** Tells a lost race from a refusal of the host. */
async function hasChanged(root: string, name: string, pushed: readonly Pushed[]): Promise<boolean> {
  const found = await readRemoteRefs(
    root,
    { name },
    pushed.map(({ ref }) => ref),
  );
  if ("why" in found) throw new RemoteFault(name, found.why);
  return pushed.some(({ ref, from }) => (found.get(ref) ?? null) !== from);
}

/** What the push has set. A fetch may have set something newer meanwhile. */
async function track(
  root: string,
  ref: string,
  { from, to }: { readonly from: string | undefined; readonly to: string },
): Promise<void> {
  if ((await readRef(root, ref)) === from) await changeRefs(root, [{ ref, to }]);
}
