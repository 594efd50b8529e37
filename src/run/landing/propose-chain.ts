import { deny } from "../../core/rules/verdict.ts";
import { readRef } from "../../workspace/git/refs.ts";
import { tryGit } from "../../workspace/git/run-git.ts";
import { runProcess } from "../../workspace/process/run-process.ts";
import { memberOf, type ProvenChain, type ProvenLink } from "./chain/proving.ts";
import type { IntegrationContext, Member } from "./integration.ts";
import { proofText } from "./proof-text.ts";

const remote = "origin";
const ghMsMax = 60_000;

export async function hasRemote(root: string, name = remote): Promise<boolean> {
  return (await tryGit(root, ["remote", "get-url", name])).exit === 0;
}

/** Pushes proven branches and opens a pull request for each. Never pushes the base, never forces a push. */
export async function proposeChain(
  context: IntegrationContext,
  chain: ProvenChain,
): Promise<readonly Member[]> {
  const members: Member[] = [];
  for (const link of chain.links) members.push(await propose(context, link, chain));
  return members;
}

async function propose(context: IntegrationContext, link: ProvenLink, chain: ProvenChain): Promise<Member> {
  const { root, base } = context.repository;
  const { commit, title } = link.candidate;
  const branch = await proposedBranch(root, link.candidate);
  context.onProgress(`pushing ${branch} to ${remote}`, "running");
  const pushed = await tryGit(root, ["push", "--quiet", remote, `${commit}:refs/heads/${branch}`]);
  if (pushed.exit !== 0) return refusedBy(link, `\`git push\` failed: ${lastLine(pushed.stderr)}`);
  const body = proofText({ base, link, gate: chain.gate });
  const gh = (words: readonly string[]) => runGh(root, words, body);
  const found = await gh(["pr", "view", branch, "--json", "url", "--jq", ".url"]);
  if (found === undefined) {
    context.onProgress(
      "`gh` is not installed: open the pull request by hand, with the proof below as its description",
    );
    context.onProgress(body);
    return memberOf(link, "proposed", null);
  }
  // If the branch has a pull request already, its description is replaced by the new proof.
  const words =
    found.exit === 0
      ? ["pr", "edit", branch, "--body-file", "-"]
      : ["pr", "create", "--base", base, "--head", branch, "--title", title, "--body-file", "-"];
  context.onProgress(`gh ${words.slice(0, 2).join(" ")} ${branch}`, "running");
  const done = await gh(words);
  if (done?.exit !== 0) return refusedBy(link, `\`gh ${words.slice(0, 2).join(" ")}\` failed: ${done?.last}`);
  const url = /https?:\/\/\S+/.exec(found.exit === 0 ? found.last : done.last)?.[0];
  return { ...memberOf(link, "proposed", null), ...(url === undefined ? {} : { url }) };
}

/** The branch name at the remote. A remote branch keeps its name; a bare commit gets one. */
async function proposedBranch(root: string, { branch, commit }: ProvenLink["candidate"]): Promise<string> {
  if ((await readRef(root, `refs/heads/${branch}`)) !== undefined) return branch;
  return branch.startsWith(`${remote}/`) ? branch.slice(remote.length + 1) : `land-${commit.slice(0, 12)}`;
}

/** Undefined if `gh` is not installed. */
async function runGh(cwd: string, words: readonly string[], input: string) {
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const { exit, tail, outputBytes } = await runProcess({
    command: ["gh", ...words],
    cwd,
    env: { ...env, GH_PROMPT_DISABLED: "1", NO_COLOR: "1" },
    input,
    msMax: ghMsMax,
  });
  if (exit === null && outputBytes === 0 && tail.includes("cannot be started")) return undefined;
  return { exit, last: lastLine(tail) };
}

function refusedBy(link: ProvenLink, reason: string): Member {
  return { ...memberOf(link, "waiting", null), refused: deny("R-GT-001", reason) };
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
