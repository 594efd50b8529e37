import { closeSync, fsyncSync, openSync, renameSync, statSync, writeSync } from "node:fs";
import { deny } from "../../core/rules/verdict.ts";
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
      actor,
      whyOf(data),
    ]),
  );
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

export function auditVerifyCommand({ json }: { readonly json?: boolean }): Promise<number> {
  const text = ({ events, problems }: Verification) =>
    problems.length === 0
      ? `${counted(events, "event")}, the chain holds\n`
      : `${problems.map(({ seq, problem }) => `${seq === undefined ? "" : `event ${seq}: `}${problem}`).join("\n")}\n`;
  const exit = ({ problems }: Verification) => (problems.length === 0 ? 0 : 1);
  return showReading<Verification>({ json, text, exit }, () => ask("audit-verify", {}));
}

/** One event a line, oldest first; into a file it is whole or not there. */
export async function auditExportCommand(file: string | undefined): Promise<number> {
  let count = 0;
  if (file !== undefined && statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) {
    return tellRefusal(deny("R-IN-001", `\`${file}\` is a folder: name a file in it`), false);
  }
  const exit = await showReading<undefined>({ text: () => "" }, async () => {
    const temporary = file === undefined ? undefined : `${file}.${process.pid}.tmp`;
    const descriptor = temporary === undefined ? 1 : open(temporary);
    for (let after = 0; ; ) {
      const page = await ask("audit-list", { after, limit: exportPage });
      if ("allow" in page) return page;
      const text = page.map((event) => `${JSON.stringify(event)}\n`).join("");
      if (descriptor === 1) writeAll(1, text);
      else writeSync(descriptor, text);
      count += page.length;
      if (page.length < exportPage) break;
      after = page.at(-1)?.seq ?? after;
    }
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
