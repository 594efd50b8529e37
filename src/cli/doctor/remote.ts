import { randomBytes } from "node:crypto";
import type { Config } from "../../contract/config.ts";
import { allRefs, probeRefs } from "../../core/names/ref-names.ts";
import { pushRefs, type Remote, readRemoteRefs, remoteOf } from "../../workspace/git/remote.ts";
import type { RepositoryState } from "../../workspace/git/repository-state.ts";
import { tryGit } from "../../workspace/git/run-git.ts";
import { broken, type Finding, ok } from "./finding.ts";

type Settings = Pick<Config, "remote" | "transport" | "integrate">;

/** Whether the shared remote answers and accepts what Lockstep pushes: one push, which is deleted again. */
export async function examineRemote(
  { root, base, baseCommit }: Pick<RepositoryState, "root" | "base" | "baseCommit">,
  config: Settings,
): Promise<readonly Finding[]> {
  const remote = remoteOf(config);
  if (remote === undefined) return [];
  const { name } = remote;
  if ((await tryGit(root, ["remote", "get-url", name])).exit !== 0)
    return [broken("remote", `there is no remote \`${name}\``, `\`git remote add ${name} URL\``)];
  const branch = `refs/heads/${base}`;
  const found = await readRemoteRefs(root, remote, [branch]);
  if ("why" in found)
    return [
      broken("remote", `\`${name}\`: ${found.why}`, `\`git ls-remote ${name}\` shows the same failure`),
    ];
  const probed = await probe(root, remote, baseCommit);
  return [
    ...(probed === undefined
      ? [ok("remote", acceptedText(remote, base, config))]
      : [await refusal(root, remote, { ...probed, commit: baseCommit })]),
    ...(config.integrate === "push" && !found.has(branch)
      ? [broken("remote base", `\`${name}\` has no branch \`${base}\``, `\`git push ${name} ${base}\``)]
      : []),
  ];
}

function acceptedText({ name, transport }: Remote, base: string, { integrate }: Settings): string {
  const accepted = `\`${name}\` accepts ${transport === "refs" ? `refs below ${allRefs}` : "branches below lockstep/"} and pushes of several refs together`;
  return integrate === "push"
    ? `${accepted}; only a merge shows whether \`${base}\` is protected: if it is, use \`integrate: pr\``
    : accepted;
}

interface Refused {
  readonly how: "rejected" | "unknown";
  readonly why: string;
}

/** Sets two refs together, as a merge does, and deletes them again. */
async function probe(root: string, remote: Remote, commit: string): Promise<Refused | undefined> {
  const refs = probeRefs(randomBytes(6).toString("hex"), remote.transport);
  const stopped = await pushRefs(
    root,
    remote,
    refs.map((ref) => ({ ref, to: commit, from: null })),
  );
  // A push without an answer may still have set them.
  if (stopped?.how === "rejected") return stopped;
  const left = await pushRefs(
    root,
    remote,
    refs.map((ref) => ({ ref, to: null })),
  );
  if (stopped !== undefined || left === undefined) return stopped;
  return { ...left, why: `it keeps ${refs.join(" and ")}, which cannot be deleted: ${left.why}` };
}

async function refusal(
  root: string,
  remote: Remote,
  { how, why, commit }: Refused & { readonly commit: string },
): Promise<Finding> {
  const detail = `\`${remote.name}\` refuses what Lockstep pushes: ${why}`;
  if (how === "unknown")
    return broken(
      "remote",
      detail,
      `\`git push --dry-run ${remote.name} HEAD:refs/heads/x\` tries the login`,
    );
  const heads = { ...remote, transport: "heads" } as const;
  if (remote.transport === "refs" && (await probe(root, heads, commit)) === undefined)
    return broken(
      "remote",
      `${detail}; it accepts branches`,
      "set `transport: heads` in .lockstep/config.yaml",
    );
  return broken(
    "remote",
    detail,
    "allow this login to create branches and refs there, or use `integrate: pr`",
  );
}
