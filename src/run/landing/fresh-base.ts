import { sharedNotesRef, trackedNotesRef, trackingRef } from "../../core/names/ref-names.ts";
import { readRef } from "../../workspace/git/refs.ts";
import { fetchRefs, type Remote, RemoteFault, remoteOf } from "../../workspace/git/remote.ts";
import type { IntegrationContext } from "./integration.ts";

type Place = Pick<IntegrationContext, "repository" | "config">;

/** The remote that the base moves at; undefined if it moves here. */
export function pushedTo({ config }: Pick<Place, "config">): Remote | undefined {
  return config.integrate === "push" ? remoteOf(config) : undefined;
}

/** The context with the base's current commit. Throws a `RemoteFault` if the base is at a remote that fails. */
export async function freshBase<Context extends Place>(context: Context): Promise<Context | undefined> {
  const { repository } = context;
  const { root, base, baseRef } = repository;
  const remote = pushedTo(context);
  const baseCommit =
    remote === undefined
      ? await readRef(root, baseRef)
      : (await fetchBase(root, { name: remote.name, base, notes: sharedNotesRef(remote.transport) })).commit;
  return baseCommit === undefined ? undefined : { ...context, repository: { ...repository, baseCommit } };
}

interface FetchedBase {
  readonly commit: string;
  readonly notes: string | null;
}

/** Fetches the base and the notes of a remote; `notes` is their ref there. */
export async function fetchBase(
  root: string,
  { name, base, notes }: { readonly name: string; readonly base: string; readonly notes: string },
): Promise<FetchedBase> {
  const tracked = { base: trackingRef(name, base), notes: trackedNotesRef(name) };
  // The notes as a pattern, because git fails for a single ref that does not exist.
  const specs = [`+refs/heads/${base}:${tracked.base}`, `+${notes}*:${tracked.notes}*`];
  const failed = await fetchRefs(root, { name }, { specs, prune: true });
  if (failed?.why.includes("couldn't find remote ref"))
    throw new RemoteFault(name, `there is no branch \`${base}\`: \`git push ${name} ${base}\` creates it`);
  if (failed !== undefined) throw new RemoteFault(name, failed.why);
  const commit = await readRef(root, tracked.base);
  if (commit === undefined) throw new RemoteFault(name, `\`${base}\` is not a commit`);
  return { commit, notes: (await readRef(root, tracked.notes)) ?? null };
}
