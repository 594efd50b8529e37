import { createHash } from "node:crypto";
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { maskSecrets } from "../../core/secrets/mask-secrets.ts";
import { appendToMemory } from "../../workspace/append-to-memory.ts";
import type { Checkout } from "../../workspace/checkouts/checkout.ts";
import type { RunContext, RunTask } from "./run-context.ts";

/** What an agent may add to in its own copy, beside its worklog (S1-162). */
const memoryFiles = ["activeContext.md", "progress.md"] as const;
const memoryBytesMax = 64 * 1024;
const worklogBytesMax = 1024 * 1024;
/** Whatever is longer in a checkout is not looked at. */
const fileBytesMax = 16 * 1024 * 1024;

interface Seen {
  readonly size: number;
  readonly digest: string;
}

/** The session's files at the same paths in a checkout, and how much of them was known before the agent added to it. */
export class LentFiles {
  readonly #context: RunContext;
  readonly #task: RunTask;
  readonly #checkout: Checkout;
  readonly #seen = new Map<string, Seen>();

  constructor(context: RunContext, task: RunTask, checkout: Checkout) {
    this.#context = context;
    this.#task = task;
    this.#checkout = checkout;
    lend(context, checkout);
    for (const path of [this.#worklog, ...memoryFiles.map((name) => this.#inSession(name))])
      this.#seen.set(path, seenIn(readOwn(checkout, path)));
  }

  /** Takes what the agent has added since into the session's own files, without secrets (INV-8). */
  async collect(): Promise<void> {
    const { text } = this.#added(this.#worklog, worklogBytesMax);
    await appendMasked(this.#context, this.#worklog, this.#context.secrets.mask(text));
    for (const name of memoryFiles) await this.#remember(name);
  }

  async #remember(name: (typeof memoryFiles)[number]): Promise<void> {
    const { text, isAppended } = this.#added(this.#inSession(name), memoryBytesMax);
    if (text.trim() === "") return;
    const { key } = this.#task;
    if (!isAppended)
      return this.#context.onTask(key, {
        type: "said",
        text: `${name} was rewritten in its checkout, where entries can only be added: nothing of that is kept`,
      });
    // Indented, nothing in it passes for an entry of somebody else's.
    const entry = (await maskSecrets(this.#context.secrets.mask(text))).trim().replace(/\r\n?|\n/g, "\n  ");
    this.#context.remember(name, `${key}, by its agent: ${entry}`);
  }

  #added(path: string, bytesMax: number): { readonly text: string; readonly isAppended: boolean } {
    const { size, digest } = this.#seen.get(path) ?? seenIn(empty);
    const bytes = readOwn(this.#checkout, path);
    this.#seen.set(path, seenIn(bytes));
    const isAppended = seenIn(bytes.subarray(0, size)).digest === digest;
    const text = bytes.subarray(isAppended ? size : 0).subarray(0, bytesMax);
    return { text: text.toString("utf8"), isAppended };
  }

  get #worklog(): string {
    return this.#task.packet.assignment.worklog_path;
  }

  #inSession(name: string): string {
    return `.agents-work/${this.#context.session}/${name}`;
  }
}

/** All that somebody wrote in the worklog of a checkout, where nobody knows how much of it is new. */
export async function collectWorklog(
  context: Pick<RunContext, "repository">,
  checkout: Checkout,
  path: string,
): Promise<void> {
  const text = readOwn(checkout, path).subarray(0, worklogBytesMax).toString("utf8");
  await appendMasked(context, path, text);
}

async function appendMasked(
  { repository: { root } }: Pick<RunContext, "repository">,
  path: string,
  text: string,
): Promise<void> {
  if (text !== "") appendToMemory(root, path, await maskSecrets(text.endsWith("\n") ? text : `${text}\n`));
}

/** Other tasks' worklogs are theirs. */
function lend({ repository: { root }, session }: RunContext, { folder }: Checkout): void {
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

const empty = Buffer.alloc(0);

/** Nothing where there is none, or something else in its place: the checkout is the agent's. */
function readOwn({ folder }: Checkout, path: string): Buffer {
  for (let at = join(folder, path); at.length > folder.length; at = dirname(at))
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return empty;
  const file = join(folder, path);
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() && found.size <= fileBytesMax ? readFileSync(file) : empty;
}

function seenIn(bytes: Buffer): Seen {
  return { size: bytes.length, digest: createHash("sha256").update(bytes).digest("hex") };
}
