import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { integrationRefs } from "../../core/names/ref-names.ts";
import { changeRefs } from "../../workspace/git/ref-writer.ts";
import { keepOnRef } from "../../workspace/git/refs.ts";
import { git } from "../../workspace/git/run-git.ts";
import { locksIn, removeStaleLocks } from "../../workspace/git/stale-locks.ts";
import type { IntegrationContext } from "./integration.ts";

type Place = Pick<IntegrationContext, "engine" | "repository">;

/** A ref that keeps trial merges from being garbage-collected while a process works on them. */
export interface IntegrationRef extends AsyncDisposable {
  keep(commit: string): Promise<void>;
}

export async function openIntegrationRef(place: Place): Promise<IntegrationRef> {
  const { engine, repository } = place;
  const { root } = repository;
  await dropDeadRefs(place);
  const own = engine.identityOf(process.pid);
  const name = own === undefined ? process.pid : `${own.pid}-${own.startedAt}-${own.boot}`;
  const ref = `${integrationRefs}${name}`;
  return {
    keep: (commit) => keepOnRef(root, ref, commit),
    [Symbol.asyncDispose]: () => changeRefs(root, [{ ref, to: undefined }]),
  };
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
