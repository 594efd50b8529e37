import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { integrationRefs, sharedRef } from "../../core/names/ref-names.ts";
import { changeRefs } from "../../workspace/git/ref-writer.ts";
import { isAncestor, keepOnRef } from "../../workspace/git/refs.ts";
import { fetchRefs, pushRefs, remoteOf } from "../../workspace/git/remote.ts";
import { git } from "../../workspace/git/run-git.ts";
import { locksIn, removeStaleLocks } from "../../workspace/git/stale-locks.ts";
import type { IntegrationContext } from "./integration.ts";

type Place = Pick<IntegrationContext, "engine" | "repository">;

/** A ref that keeps trial merges from being garbage-collected while a process works on them. */
export interface IntegrationRef extends AsyncDisposable {
  /** Keeps the last commit of a chain. Other machines that prove together can fetch all of it. */
  keep(chain: readonly string[]): Promise<void>;
  /** The ref at the remote that leads to a commit of a chain; undefined if other machines cannot fetch it. */
  sharedRefOf(commit: string): string | undefined;
}

/** Whether several machines prove together: they share the ledger and a remote. */
export function provesTogether({
  engine,
  config,
}: {
  readonly engine: Pick<IntegrationContext["engine"], "machine">;
  readonly config: Pick<IntegrationContext["config"], "remote">;
}): boolean {
  return engine.machine !== undefined && config.remote !== null;
}

export async function openIntegrationRef(
  context: Place & Pick<IntegrationContext, "config" | "onProgress" | "dryRun">,
): Promise<IntegrationRef> {
  const { engine, repository, config, onProgress, dryRun } = context;
  const { root } = repository;
  await dropDeadRefs(context);
  const name = nameOfThis(engine);
  const ref = `${integrationRefs}${name}`;
  const remote = provesTogether(context) && !dryRun ? remoteOf(config) : undefined;
  const there = remote && sharedRef(`${integrationRefs}${engine.machine}-${name}`, remote.transport);
  const pushed = new Set<string>();
  const push = async (chain: readonly string[], to: string | null) => {
    if (remote === undefined || there === undefined) return;
    const stopped = await pushRefs(root, remote, [{ ref: there, to }]);
    if (stopped === undefined) for (const commit of chain) pushed.add(commit);
    else onProgress(`other machines cannot help with this proof: \`${remote.name}\`: ${stopped.why}`);
  };
  return {
    async keep(chain) {
      const last = chain.at(-1);
      if (last === undefined) return;
      await keepOnRef(root, ref, last);
      await push(chain, last);
    },
    sharedRefOf: (commit) => (pushed.has(commit) ? there : undefined),
    async [Symbol.asyncDispose]() {
      await changeRefs(root, [{ ref, to: undefined }]);
      if (pushed.size > 0) await push([], null);
    },
  };
}

function nameOfThis(engine: Place["engine"]): string {
  const own = engine.identityOf(process.pid);
  return own === undefined ? String(process.pid) : `${own.pid}-${own.startedAt}-${own.boot}`;
}

/**
 * Fetches a commit that another machine wants to have proven, and keeps it on the ref of this process, which integrates
 * nothing meanwhile. False if the remote does not have it any more.
 */
export async function fetchForProof(
  { engine, repository: { root }, config }: Place & Pick<IntegrationContext, "config">,
  { ref, commit }: { readonly ref: string; readonly commit: string },
): Promise<boolean> {
  const remote = remoteOf(config);
  if (remote === undefined) return false;
  const own = `${integrationRefs}${nameOfThis(engine)}`;
  const isHere = () => isAncestor(root, commit, own);
  // The commits of a chain come together.
  if (await isHere()) return true;
  const failed = await fetchRefs(root, remote, { specs: [`+${ref}:${own}`] });
  return failed === undefined && (await isHere());
}

/** Removes the refs of processes that have ended, and git's lock files on them. The merged branches still exist. */
async function dropDeadRefs({ engine, repository }: Place): Promise<void> {
  const { root, commonFolder } = repository;
  const listed = await git(root, ["for-each-ref", "--format=%(refname)", integrationRefs]);
  const refs = listed.split("\n").filter(Boolean);
  const isDead = (name: string) => {
    const [pid = "", startedAt = "", ...boot] = name.split("-");
    return engine.isAlive({ pid: Number(pid), startedAt, boot: boot.join("-") }) === "no";
  };
  const dead = refs.filter((ref) => isDead(ref.slice(integrationRefs.length)));
  const folder = join(commonFolder, integrationRefs);
  const locked = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".lock")) : [];
  if (dead.length > 0 || locked.some((name) => isDead(name.replace(/\.lock$/, ""))))
    await removeStaleLocks({ folders: [root, commonFolder], locks: locksIn(commonFolder) });
  await changeRefs(
    root,
    dead.map((ref) => ({ ref, to: undefined })),
  );
}
