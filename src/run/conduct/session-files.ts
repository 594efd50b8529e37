import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { maskDocument } from "../../core/secrets/mask-document.ts";
import { maskSecrets } from "../../core/secrets/mask-secrets.ts";
import { appendToMemory } from "../../workspace/append-to-memory.ts";
import type { Checkout } from "../../workspace/checkouts/checkout.ts";
import type { RunContext, RunTask } from "./run-context.ts";

const worklogBytesMax = 1024 * 1024;

/** What the session has for everybody, at the same path in the checkout; other tasks' worklogs are theirs. */
export function lendSessionFiles(
  { repository: { root }, session }: RunContext,
  { folder }: Pick<Checkout, "folder">,
): void {
  const own = join(".agents-work", session);
  const from = join(root, own);
  const to = join(folder, own);
  if (
    !existsSync(from) ||
    lstatSync(join(folder, ".agents-work"), { throwIfNoEntry: false })?.isSymbolicLink()
  )
    return;
  mkdirSync(to, { recursive: true });
  cpSync(from, to, { recursive: true, filter: (path) => !path.startsWith(join(from, "worklogs")) });
}

/** what the agent wrote in its worklog, then an entry of Lockstep's own; both without secrets (INV-8). */
export async function collectWorklog(
  { repository: { root }, engine }: Pick<RunContext, "repository" | "engine">,
  { key, packet }: Pick<RunTask, "key" | "packet">,
  { checkout, entry }: { readonly checkout: Checkout; readonly entry: Readonly<Record<string, unknown>> },
): Promise<void> {
  const path = packet.assignment.worklog_path;
  const written = await readWorklog(checkout, path);
  if (written !== "") appendToMemory(root, path, written.endsWith("\n") ? written : `${written}\n`);
  const at = new Date(engine.clock.now().wallMs).toISOString();
  appendToMemory(root, path, `${JSON.stringify(await maskDocument({ at, task: key, ...entry }))}\n`);
}

/** Nothing where there is none, or something else in its place: the checkout is the agent's. */
async function readWorklog({ folder }: Checkout, path: string): Promise<string> {
  for (let at = join(folder, path); at.length > folder.length; at = dirname(at))
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return "";
  const file = join(folder, path);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.size > worklogBytesMax) return "";
  return maskSecrets(readFileSync(file, "utf8").toWellFormed());
}
