import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, type Stats } from "node:fs";
import { dirname, join, relative } from "node:path";
import {
  type MemoryFile,
  memoryFiles,
  sessionPath,
  sessionsFolder,
  type ViewFile,
  viewFiles,
} from "../../core/names/session-paths.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { maskSecrets } from "../../core/secrets/mask-secrets.ts";
import { type Checkout, digestOf } from "../../workspace/checkouts/checkout.ts";
import { lookAtCopied, markAt, rememberCopied } from "../../workspace/checkouts/copied-files.ts";
import { replacedSession, replacedText } from "../../workspace/checkouts/session-folder.ts";
import { fileMark } from "../../workspace/files/file-mark.ts";
import { ifThere } from "../../workspace/files/if-there.ts";
import { appendToMemory } from "../../workspace/state/append-to-memory.ts";
import type { RunContext, RunTask } from "./run-context.ts";

const memoryBytesMax = 64 * 1024;
const worklogBytesMax = 1024 * 1024;
/** Longer files in a checkout are not read. */
const fileBytesMax = 16 * 1024 * 1024;

interface Seen {
  readonly size: number;
  readonly digest: string;
  /** Size and times of the file. While they are the same, it is unchanged. */
  readonly mark: string | undefined;
}

/**
 * The session's files, copied to the same paths in an agent's checkout. Remembers their content at that time, to find
 * what the agent has added.
 */
export class SessionFiles {
  readonly #context: RunContext;
  readonly #task: RunTask;
  readonly #checkout: Checkout;
  readonly #seen = new Map<string, Seen>();
  readonly #views = new Map<ViewFile, string>();

  constructor(context: RunContext, task: RunTask, checkout: Checkout) {
    this.#context = context;
    this.#task = task;
    this.#checkout = checkout;
    const copied = copySession(context, checkout);
    for (const path of [this.#worklog, ...memoryFiles.map((name) => this.#inSession(name))])
      this.#seen.set(path, copied.get(path) ?? this.#see(path));
    // Edits of these files matter only to sessions.
    if (context.onViewEdit !== undefined)
      for (const name of viewFiles) this.#views.set(name, this.#readView(name));
  }

  #see(path: string): Seen {
    const mark = markAt(this.#checkout, path);
    return { ...seenIn(readOwn(this.#checkout, path)), mark };
  }

  #readView(name: ViewFile): string {
    return readOwn(this.#checkout, this.#inSession(name)).toString("utf8");
  }

  /** Refuses work whose agent has replaced the session's folder: nothing in it can be collected. */
  findReplaced(): Deny | undefined {
    const path = replacedSession(this.#checkout, this.#context.session);
    if (path === undefined) return undefined;
    return deny("R-GT-001", `${replacedText(path)}: the next attempt gets it back, leave it as it is`, {
      replaced: path,
    });
  }

  /** Appends what the agent has added to the session's own files, with secrets masked (INV-8). */
  async collect(): Promise<void> {
    const { text, taken } = this.#added(this.#worklog, worklogBytesMax);
    await appendMasked(this.#context, this.#worklog, this.#context.secrets.mask(text));
    taken();
    for (const name of memoryFiles) await this.#remember(name);
    await this.#judgeEdits();
  }

  /** The ledger decides about statuses. An agent's edit of these files is only a request. */
  async #judgeEdits(): Promise<void> {
    for (const [name, before] of this.#views) {
      const after = this.#readView(name);
      if (after === before) continue;
      await this.#context.onViewEdit?.(this.#task, { file: name, before, after });
      this.#views.set(name, after);
      // The request is handled, so the next agent here gets the current file again.
      rememberCopied(this.#checkout, { [this.#inSession(name)]: digestOf(after) });
    }
  }

  async #remember(name: MemoryFile): Promise<void> {
    const { text, isAppended, taken } = this.#added(this.#inSession(name), memoryBytesMax);
    if (text.trim() === "") return;
    const { key } = this.#task;
    if (!isAppended)
      return this.#context.onTask(key, {
        type: "said",
        text: `${name} was rewritten in the checkout, but entries can only be appended: the changes are dropped`,
      });
    // Indented, so that no line of it looks like another task's entry.
    const entry = (await maskSecrets(this.#context.secrets.mask(text))).trim().replace(/\r\n?|\n/g, "\n  ");
    this.#context.remember(name, `${key}, by its agent: ${entry}`);
    taken();
  }

  /** The text that the agent has appended. `taken` records that it was stored elsewhere. */
  #added(path: string, bytesMax: number) {
    const { size, digest, mark } = this.#seen.get(path) ?? { ...seenIn(empty), mark: undefined };
    const now = markAt(this.#checkout, path);
    if (now === mark) return { text: "", isAppended: true, taken: () => {} };
    const bytes = readOwn(this.#checkout, path);
    this.#seen.set(path, { ...seenIn(bytes), mark: now });
    const isAppended = seenIn(bytes.subarray(0, size)).digest === digest;
    const added = bytes.subarray(isAppended ? size : 0);
    const text = added.subarray(0, bytesMax);
    const isWhole = isAppended && text.length === added.length;
    const taken = () => {
      if (isWhole && bytes.length > 0) rememberCopied(this.#checkout, { [path]: digestOf(bytes) });
    };
    return { text: text.toString("utf8"), isAppended, taken };
  }

  get #worklog(): string {
    return this.#task.packet.assignment.worklog_path;
  }

  #inSession(name: string): string {
    return sessionPath(this.#context.session, name);
  }
}

/** Appends the whole worklog of a checkout, if it is not known which part of it is new. */
export async function collectWorklog(
  context: Pick<RunContext, "repository">,
  checkout: Checkout,
  path: string,
): Promise<void> {
  const bytes = readOwn(checkout, path);
  await appendMasked(context, path, bytes.subarray(0, worklogBytesMax).toString("utf8"));
  if (bytes.length > 0 && bytes.length <= worklogBytesMax)
    rememberCopied(checkout, { [path]: digestOf(bytes) });
}

async function appendMasked(
  { repository: { root } }: Pick<RunContext, "repository">,
  path: string,
  text: string,
): Promise<void> {
  if (text !== "") appendToMemory(root, path, await maskSecrets(text.endsWith("\n") ? text : `${text}\n`));
}

/** Copies the session's files into a checkout, at the same paths, without other tasks' worklogs. */
function copySession(
  { repository: { root }, session }: Pick<RunContext, "repository" | "session">,
  checkout: Pick<Checkout, "folder">,
): ReadonlyMap<string, Seen> {
  const { folder } = checkout;
  const own = join(sessionsFolder, session);
  const from = join(root, own);
  if (!existsSync(from) || replacedSession(checkout, session) !== undefined) return new Map();
  const copied: string[] = [];
  // Files that an earlier attempt has edited stay as they are in the checkout.
  const edited = new Set(lookAtCopied(checkout).edited);
  const filter = (path: string) => {
    const name = relative(root, path);
    const isOwn = path.startsWith(join(from, "worklogs")) || edited.has(name);
    const isShared = !isOwn && !isInTheWay(join(folder, name), lstatSync(path));
    if (isShared) copied.push(name);
    return isShared;
  };
  mkdirSync(join(folder, own), { recursive: true });
  cpSync(from, join(folder, own), { recursive: true, filter });
  const files = copied.filter((path) => lstatSync(join(folder, path)).isFile());
  const seen = files.map((path) => [path, knownDigest(join(root, path))] as const);
  rememberCopied(checkout, Object.fromEntries(seen.map(([path, { digest }]) => [path, digest])));
  return new Map(seen.map(([path, one]) => [path, { ...one, mark: markAt(checkout, path) }]));
}

/** Cached, because these files grow with the plan and are copied for each of its tasks. */
function knownDigest(file: string): Omit<Seen, "mark"> {
  const mark = fileMark(file);
  const before = digests.get(file);
  if (before !== undefined && before.mark === mark) return before;
  const now = { ...seenIn(readFileSync(file)), mark };
  if (digests.size >= digestsMax) digests.clear();
  digests.set(file, now);
  return now;
}

const digests = new Map<string, Seen>();
const digestsMax = 100;

/** Whether an agent has put a file in the place of a folder, or the other way round. */
function isInTheWay(path: string, copied: Stats): boolean {
  const found = foundAt(path);
  return found !== undefined && found.isDirectory() !== copied.isDirectory();
}

function isLink(path: string): boolean {
  return foundAt(path)?.isSymbolicLink() === true;
}

function foundAt(path: string): Stats | undefined {
  return ifThere(() => lstatSync(path, { throwIfNoEntry: false }));
}

const empty = Buffer.alloc(0);

/** Empty if the file is missing, too long, or reached through a link, because an agent controls the checkout. */
export function readOwn({ folder }: Pick<Checkout, "folder">, path: string): Buffer {
  for (let at = join(folder, path); at.length > folder.length; at = dirname(at)) if (isLink(at)) return empty;
  const file = join(folder, path);
  const found = foundAt(file);
  return found?.isFile() && found.size <= fileBytesMax ? readFileSync(file) : empty;
}

function seenIn(bytes: Buffer): Omit<Seen, "mark"> {
  return { size: bytes.length, digest: digestOf(bytes) };
}
