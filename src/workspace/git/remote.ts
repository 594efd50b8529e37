import { setTimeout as sleep } from "node:timers/promises";
import type { Transport } from "../../core/names/ref-names.ts";
import { type RemoteRun, remoteGit, remoteSeconds } from "./remote-git.ts";

/** A remote of the repository, and how refs are named there. */
export interface Remote {
  readonly name: string;
  readonly transport: Transport;
}

/** A remote that does not answer, or refuses what Lockstep needs. The message names the remote and its reason. */
export class RemoteFault extends Error {
  override readonly name = "RemoteFault";
  readonly code = "E-GIT";

  constructor(remote: string, why: string) {
    super(`\`${remote}\`: ${why}`);
  }
}

/** The remote that the configuration names. */
export function remoteOf({
  remote,
  transport,
}: {
  readonly remote: string | null;
  readonly transport: Transport;
}): Remote | undefined {
  return remote === null ? undefined : { name: remote, transport };
}

/** One ref to set at the remote. */
export interface Pushed {
  readonly ref: string;
  /** Null deletes the ref. */
  readonly to: string | null;
  /** The expected current value; null if the ref must not exist, undefined for any value. */
  readonly from?: string | null;
}

/** Why work waits for a remote: it `fails` now, or it `refuses` what was pushed, which a person may have to change. */
export type RemoteTrouble = "fails" | "refuses";

/** Why nothing was set. After `unknown`, it can still be set: the remote did not say. */
export type NotPushed =
  | { readonly how: "rejected"; readonly why: string }
  | { readonly how: "unknown"; readonly why: string };

/** Sets all refs or none, each only if it has its expected value. */
export async function pushRefs(
  root: string,
  { name }: Pick<Remote, "name">,
  pushed: readonly Pushed[],
): Promise<NotPushed | undefined> {
  const leases = pushed.flatMap(({ ref, from }) =>
    from === undefined ? [] : [`--force-with-lease=${ref}:${from ?? ""}`],
  );
  const refs = pushed.map(({ ref, to, from }) => `${from === undefined ? "+" : ""}${to ?? ""}:${ref}`);
  const ran = await remoteGit(root, name, [
    ...["push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-recurse-submodules"],
    ...(pushed.length > 1 ? ["--atomic"] : []),
    ...[...leases, name, ...refs],
  ]);
  if (ran.exit === 0) return undefined;
  // Only a line for the ref says that the remote has refused it and is done with it.
  const reasons = [...ran.stdout.matchAll(/^!\t.*\t\[(?:remote )?rejected\] \((.*)\)$/gm)].map(
    (one) => one[1],
  );
  if (reasons.length === 0 || ran.timedOut) return { how: "unknown", why: whyFailed(name, ran) };
  // With several refs, only one has the reason; the others failed with it.
  const reason = reasons.find((one) => !one?.startsWith("atomic")) ?? "rejected";
  const said = hostWords(ran.stderr);
  return { how: "rejected", why: said === undefined ? reason : `${said} (${reason})` };
}

/** Fetches refs into refs; nothing else of the repository changes. `prune` deletes targets that the remote lacks. */
export async function fetchRefs(
  root: string,
  { name }: Pick<Remote, "name">,
  { specs, prune = false }: { readonly specs: readonly string[]; readonly prune?: boolean },
): Promise<{ readonly why: string } | undefined> {
  const words = [
    ...["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--refmap="],
    ...[prune ? "--prune" : "--no-prune", name, ...specs],
  ];
  for (let round = 1; ; round += 1) {
    const ran = await remoteGit(root, name, words);
    if (ran.exit === 0) return undefined;
    // Another fetch set the same ref in the same moment.
    if (round >= fetchesMax || !ran.stderr.includes("cannot lock ref")) return { why: whyFailed(name, ran) };
    await sleep(round * 50);
  }
}

const fetchesMax = 10;

/** The commits of refs at the remote. */
export async function readRemoteRefs(
  root: string,
  { name }: Pick<Remote, "name">,
  refs: readonly string[],
): Promise<ReadonlyMap<string, string> | { readonly why: string }> {
  const ran = await remoteGit(root, name, ["ls-remote", "--quiet", name, ...refs]);
  if (ran.exit !== 0) return { why: whyFailed(name, ran) };
  const lines = ran.stdout.split("\n").filter(Boolean);
  return new Map(lines.map((line) => [line.split("\t")[1] ?? "", line.split("\t")[0] ?? ""]));
}

const wordsMax = 400;

function whyFailed(name: string, { timedOut, stderr }: RemoteRun): string {
  if (timedOut) return `it did not answer within ${remoteSeconds()} seconds`;
  const lines = stderr.split("\n").map((line) => line.trim());
  if (lines.some((line) => line.includes(`'${name}' does not appear to be a git repository`)))
    return `there is no git repository at its address: \`git remote -v\` shows the address`;
  const first = lines.find((line) => /^(?:fatal|error|ERROR):/.test(line)) ?? lines.find(Boolean);
  return hostWords(stderr) ?? withoutLogin(first?.replace(/^(?:fatal|error|ERROR): /, "") ?? "git failed");
}

/** What the host said, which git prints with `remote: ` before it. */
function hostWords(stderr: string): string | undefined {
  const said = stderr.split("\n").flatMap((line) => /^remote: (.*\S)\s*$/.exec(line)?.[1] ?? []);
  return said.length === 0 ? undefined : withoutLogin(said.join(" ").replace(/\s+/g, " "));
}

/** A URL can contain a password or a token. */
function withoutLogin(text: string): string {
  return text.replace(/:\/\/[^/\s@]+@/g, "://").slice(0, wordsMax);
}
