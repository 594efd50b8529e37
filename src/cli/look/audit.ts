import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeSync } from "node:fs";
import { deny } from "../../core/rules/verdict.ts";
import { field, isObject } from "../../core/values/fields.ts";
import { beginning } from "../../ledger/event-chain.ts";
import type { LedgerEvent, Verification } from "../../ledger/ledger.ts";
import { localTime } from "../../workspace/process/local-time.ts";
import { ask } from "../open/ask.ts";
import { wholeName } from "../open/find-task.ts";
import { wholeNumber } from "../open/read-input.ts";
import { CommandFault } from "../output/command-fault.ts";
import { writeAll } from "../output/descriptor.ts";
import { showReading } from "../output/reading.ts";
import { counted, table } from "../output/table.ts";
import { tellRefusal } from "../output/verdicts.ts";

interface ListOptions {
  readonly json?: boolean;
  readonly task?: string;
  readonly type?: string;
  readonly after?: string;
  readonly limit?: string;
}

const listMax = 50;
const exportPage = 1000;

export function auditListCommand({ json, task, type, after, limit }: ListOptions): Promise<number> {
  return showReading<readonly LedgerEvent[]>({ json, text: eventTable }, async () => {
    const found = await ask("audit-list", {
      ...(task === undefined ? {} : { task: await wholeName(task) }),
      ...(type === undefined ? {} : { type }),
      ...(after === undefined ? { newestFirst: true } : { after: wholeNumber("--after", after) }),
      limit: limit === undefined ? listMax : wholeNumber("--limit", limit),
    });
    return Array.isArray(found) && after === undefined ? found.toReversed() : found;
  });
}

function eventTable(events: readonly LedgerEvent[]): string {
  if (events.length === 0) return "no events\n";
  return table(
    ["SEQ", "TIME", "TASK", "EVENT", "STATE", "BY", "WHY"],
    events.map(({ seq, at, task, type, from, to, actor, data }) => [
      String(seq),
      localTime(at),
      task ?? "-",
      type,
      from === to || to === null ? "-" : `${from ?? "·"} → ${to}`,
      byOf(actor, data),
      whyOf(data),
    ]),
  );
}

/** `person (board)` for an answer that a person gave in the browser. */
function byOf(actor: string, data: unknown): string {
  const via = field(data, "via");
  return typeof via === "string" ? `${actor} (${via})` : actor;
}

function whyOf(data: unknown): string {
  const { refusal, reason, note } = (data ?? {}) as {
    refusal?: { code: string | null; reason: string };
    reason?: unknown;
    note?: unknown;
  };
  if (refusal !== undefined) return [refusal.code, refusal.reason].filter(Boolean).join(" ");
  return typeof reason === "string" ? reason : typeof note === "string" ? note : "";
}

interface VerifyOptions {
  readonly json?: boolean;
  /** A file that `audit export` wrote. */
  readonly head?: string;
}

export function auditVerifyCommand({ json, head }: VerifyOptions): Promise<number> {
  const text = ({ events, problems }: Verification) =>
    problems.length === 0
      ? `${counted(events, "event")}, the hash chain is intact\n`
      : `${problems.map(({ seq, problem }) => `${seq === undefined ? "" : `event ${seq}: `}${problem}`).join("\n")}\n`;
  const exit = ({ problems }: Verification) => (problems.length === 0 ? 0 : 1);
  return showReading<Verification>({ json, text, exit }, async () => {
    const exported = head === undefined ? undefined : readExport(head);
    const verified = await ask("audit-verify", {});
    if ("allow" in verified || head === undefined || exported === undefined) return verified;
    const differs = await findDifference(head, exported, verified.events);
    if (differs === undefined || "allow" in differs) return differs ?? verified;
    return { ...verified, problems: [...verified.problems, differs] };
  });
}

/** The hashes of an export by event number; a file with only the head is enough. */
function readExport(file: string): ReadonlyMap<number, string> {
  const lines = readText(file).split("\n").filter(Boolean);
  const links = lines.map((line) => linkIn(line));
  const wrong = links.indexOf(undefined);
  if (links.length > 0 && wrong === -1) return new Map(links as [number, string][]);
  const where = links.length === 0 ? "it is empty" : `line ${wrong + 1} is neither an event nor a head`;
  throw new CommandFault("R-IN-001", `\`${file}\` is not an export: ${where}; see \`lockstep audit export\``);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CommandFault("R-IN-001", `\`${file}\` cannot be read: ${(error as Error).message}`);
  }
}

function linkIn(line: string): [number, string] | undefined {
  const read = parsed(line);
  const { seq, hash } = { ...(isObject(read) && isObject(read.head) ? read.head : (read as object)) } as {
    readonly seq?: unknown;
    readonly hash?: unknown;
  };
  return Number.isSafeInteger(seq) && typeof hash === "string" ? [seq as number, hash] : undefined;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // reported with its line number
  }
}

/** The first event that differs from the export, or the first missing one. */
async function findDifference(file: string, exported: ReadonlyMap<number, string>, events: number) {
  const last = Math.max(...exported.keys());
  for (let after = Math.min(...exported.keys()) - 1; after < Math.min(last, events); after += exportPage) {
    const page = await ask("audit-list", { after, limit: exportPage });
    if ("allow" in page) return page;
    const other = page.find(({ seq, hash }) => (exported.get(seq) ?? hash) !== hash);
    if (other !== undefined)
      return { seq: other.seq, problem: `it differs from the one in ${file}: the log was rewritten` };
  }
  if (last <= events) return undefined;
  return { seq: events + 1, problem: `it and all up to event ${last} are missing: ${file} has them` };
}

/** One event per line, oldest first, and the head in the last line. A file is written completely or not at all. */
export async function auditExportCommand(file: string | undefined): Promise<number> {
  let count = 0;
  if (file !== undefined && statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) {
    return tellRefusal(deny("R-IN-001", `\`${file}\` is a folder: name a file in it`), false);
  }
  const exit = await showReading<undefined>({ text: () => "" }, async () => {
    const temporary = file === undefined ? undefined : `${file}.${process.pid}.tmp`;
    const descriptor = temporary === undefined ? 1 : open(temporary);
    const write = (lines: readonly object[]) => {
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      if (descriptor === 1) writeAll(1, text);
      else writeSync(descriptor, text);
    };
    let head = beginning;
    for (;;) {
      const page = await ask("audit-list", { after: head.seq, limit: exportPage });
      if ("allow" in page) return page;
      write(page);
      count += page.length;
      head = page.at(-1) ?? head;
      if (page.length < exportPage) break;
    }
    write([{ head: { seq: head.seq, hash: head.hash } }]);
    if (file === undefined || temporary === undefined) return undefined;
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(temporary, file);
    return undefined;
  });
  if (exit === 0 && file !== undefined) writeAll(2, `${counted(count, "event")} written to ${file}\n`);
  return exit;
}

function open(file: string): number {
  try {
    return openSync(file, "wx", 0o600);
  } catch (error) {
    throw new CommandFault("R-IN-001", `\`${file}\` cannot be written: ${(error as Error).message}`);
  }
}
