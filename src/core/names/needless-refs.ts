import { beforeRef, provenRefs, refsOfTask, replacedRefs, rolledBackRef, strayedRefs } from "./ref-names.ts";

export interface KeptRef {
  readonly ref: string;
  readonly object: string;
  /** Time of its commit; null if the object is not a commit. */
  readonly ms: number | null;
}

interface FinishedTask {
  readonly id: string;
  readonly session: string | null;
  readonly key: string;
}

/**
 * The refs that can be deleted: those of finished tasks, copies of the same objects, and those older than `before`
 * that keep proven merges of unlanded branches or strayed changes.
 * Refs that keep a person's branch or files stay, and so do refs of unknown tasks.
 */
export function needlessRefs(
  refs: readonly KeptRef[],
  finished: readonly FinishedTask[],
  before: number,
): readonly KeptRef[] {
  const folders = new Set(finished.flatMap(foldersOf));
  const own = refs.filter(({ ref }) => foldersAbove(ref).some((folder) => folders.has(folder)));
  const objects = new Set(own.map(({ object }) => object));
  const isCopy = ({ ref, object }: KeptRef) => ref.startsWith(replacedRefs) && objects.has(object);
  const isOld = ({ ref, ms }: KeptRef) =>
    (ref.startsWith(provenRefs) || ref.startsWith(strayedRefs)) && ms !== null && ms < before;
  return [...own, ...refs.filter((one) => isCopy(one) || isOld(one))];
}

function foldersOf({ id, session, key }: FinishedTask): readonly string[] {
  const { base, made } = refsOfTask({ session, task: id });
  const ofEpochs = [beforeRef(key, 0), rolledBackRef(key, 0)].map((ref) => ref.slice(0, -"/0".length));
  return [base, made, ...ofEpochs];
}

function foldersAbove(ref: string): readonly string[] {
  const parts = ref.split("/");
  return parts.map((_, at) => parts.slice(0, at).join("/"));
}
