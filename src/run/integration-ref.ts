import { keepOnRef } from "../workspace/git/refs.ts";
import { git } from "../workspace/git/run-git.ts";
import type { IntegrationContext } from "./integration.ts";

const integrationRefs = "refs/lockstep/integration/";

/** Merges in the making: kept while somebody is at them, on no branch of anybody's. */
export interface IntegrationRef extends AsyncDisposable {
  keep(commit: string): Promise<void>;
}

export async function openIntegrationRef({
  engine,
  repository,
}: Pick<IntegrationContext, "engine" | "repository">): Promise<IntegrationRef> {
  const { root } = repository;
  await dropDeadRefs(root, engine.isAlive);
  const own = engine.identityOf(process.pid);
  const ref = `${integrationRefs}${own === undefined ? process.pid : `${own.pid}-${own.startedAt}-${own.boot}`}`;
  return {
    keep: (commit) => keepOnRef(root, ref, commit),
    [Symbol.asyncDispose]: async () => void (await git(root, ["update-ref", "-d", ref])),
  };
}

/** What a process that died left: trial merges of branches that all still exist. */
async function dropDeadRefs(root: string, isAlive: IntegrationContext["engine"]["isAlive"]): Promise<void> {
  const listed = await git(root, ["for-each-ref", "--format=%(refname)", integrationRefs]);
  for (const ref of listed.split("\n").filter(Boolean)) {
    const [pid = "", startedAt = "", ...boot] = ref.slice(integrationRefs.length).split("-");
    if (!isAlive({ pid: Number(pid), startedAt, boot: boot.join("-") }))
      await git(root, ["update-ref", "-d", ref]);
  }
}
