import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../../contract/config.ts";
import {
  refsOf,
  sharedRef,
  unpushedRef,
  unpushedRefs,
  workOfUnpushed,
} from "../../../core/names/ref-names.ts";
import type { Task } from "../../../core/tasks/task.ts";
import { changeRefs } from "../../../workspace/git/ref-writer.ts";
import { readRef } from "../../../workspace/git/refs.ts";
import {
  fetchRefs,
  type NotPushed,
  pushRefs,
  type Remote,
  readRemoteRefs,
  remoteOf,
} from "../../../workspace/git/remote.ts";
import { remoteSeconds } from "../../../workspace/git/remote-git.ts";
import { git, tryGit } from "../../../workspace/git/run-git.ts";

/** How long to try again while the remote cannot be reached. */
const waitMsMax = 30_000;

interface Place {
  readonly repository: { readonly root: string };
  readonly config: Pick<Config, "remote" | "transport">;
}

/** The commit of an attempt and its ref. */
export interface SharedWork {
  readonly ref: string;
  readonly commit: string;
}

/** Pushes an attempt's work, so that it exists for all machines before it is handed in. Does nothing without a remote. */
export async function pushWork(
  { repository: { root }, config }: Place,
  { ref, commit }: SharedWork,
): Promise<NotPushed | undefined> {
  const remote = remoteOf(config);
  if (remote === undefined) return undefined;
  await changeRefs(root, [{ ref: unpushedRef(ref), to: commit }]);
  const deadline = performance.now() + Math.min(waitMsMax, remoteSeconds() * 1000);
  for (let pauseMs = 500; ; pauseMs *= 2) {
    const stopped = await pushOne(root, remote, { ref, commit });
    if (stopped === undefined) return undefined;
    if (stopped.how === "rejected" || performance.now() + pauseMs > deadline) return stopped;
    await sleep(pauseMs);
  }
}

async function pushOne(root: string, remote: Remote, { ref, commit }: SharedWork) {
  const stopped = await pushRefs(root, remote, [{ ref: sharedRef(ref, remote.transport), to: commit }]);
  if (stopped !== undefined) return { ...stopped, why: `\`${remote.name}\`: ${stopped.why}` };
  await changeRefs(root, [{ ref: unpushedRef(ref), to: undefined }]);
  return undefined;
}

/** The work of attempts on this machine that was never pushed. */
async function listUnpushed(root: string): Promise<readonly SharedWork[]> {
  const listed = await git(root, ["for-each-ref", "--format=%(refname) %(objectname)", unpushedRefs]);
  return listed.split("\n").flatMap((line) => {
    const [ref = "", commit = ""] = line.split(" ");
    return ref === "" ? [] : [{ ref: workOfUnpushed(ref), commit }];
  });
}

/** Pushes what an earlier process could not push. Stops at the first failure, and says so. */
export async function pushHeld({ repository: { root }, config }: Place): Promise<readonly string[]> {
  const remote = remoteOf(config);
  if (remote === undefined) return [];
  const lines: string[] = [];
  for (const work of await listUnpushed(root)) {
    const stopped = await pushOne(root, remote, work);
    if (stopped !== undefined) return [...lines, `${work.ref} still cannot be pushed to ${stopped.why}`];
    lines.push(`pushed ${work.ref}, which an earlier process could not push`);
  }
  return lines;
}

/** The commit on an attempt's ref. Work of another machine is fetched; undefined if there is none. */
export async function readWork(
  { repository: { root }, config }: Place,
  ref: string,
): Promise<string | undefined | { readonly why: string }> {
  const here = await readRef(root, ref);
  const remote = remoteOf(config);
  if (here !== undefined || remote === undefined) return here;
  const there = sharedRef(ref, remote.transport);
  const failed = ({ why }: { readonly why: string }) => ({ why: `\`${remote.name}\`: ${why}` });
  const found = await readRemoteRefs(root, remote, [there]);
  if ("why" in found) return failed(found);
  if (!found.has(there)) return undefined;
  const missing = await fetchRefs(root, remote, { specs: [`+${there}:${ref}`] });
  return missing === undefined ? readRef(root, ref) : failed(missing);
}

/** Fetches what is known of a task's work at the remote, to show it. Returns why that failed. */
export async function fetchWorkOf(
  place: Place,
  { id, session, attempts, state, commit }: Pick<Task, "id" | "session" | "attempts" | "state" | "commit">,
): Promise<string | undefined> {
  const remote = remoteOf(place.config);
  const { root } = place.repository;
  if (remote === undefined) return undefined;
  if (commit !== null) {
    if ((await tryGit(root, ["cat-file", "-e", `${commit}^{commit}`])).exit === 0) return undefined;
    const failed = await fetchRefs(root, remote, { specs: [commit] });
    return failed && `\`${remote.name}\`: ${failed.why}`;
  }
  if (state === "IN_PROGRESS") return undefined;
  const work = await readWork(place, refsOf({ session, task: id, attempt: attempts }).work);
  return typeof work === "object" ? work.why : undefined;
}
