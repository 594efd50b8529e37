import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { isHere } from "../../core/leases/lease.ts";
import { readDatabaseUrl } from "../../core/values/database-url.ts";
import type { LedgerAbout, Machine } from "../../ledger/ledger.ts";
import { differenceOf, type LedgerCopy } from "../../ledger/ledger-copy.ts";
import { currentFolder, findProject, type Project } from "../../workspace/files/find-project.ts";
import { localTime } from "../../workspace/process/local-time.ts";
import { hasOwnLedger } from "../../workspace/state/has-ledger.ts";
import { knownLedgerUrl, ledgerUrl } from "../../workspace/state/ledger-url.ts";
import { openStateFolder } from "../../workspace/state/state-folder.ts";
import { headsFolder } from "../../workspace/state/state-home.ts";
import { megabytes } from "../look/disk.ts";
import { openEngine, readConfig } from "../open/open-engine.ts";
import { CommandFault } from "../output/command-fault.ts";
import { writeAll } from "../output/descriptor.ts";
import { showReading } from "../output/reading.ts";
import { counted, printable, table } from "../output/table.ts";

interface JsonOption {
  readonly json?: boolean;
}

interface LedgerStatus extends LedgerAbout {
  readonly tasks: number;
  readonly sessions: number;
  readonly machines: readonly (Machine & { readonly last_seen: string; readonly is_this: boolean })[];
  readonly roles: readonly {
    readonly role: string;
    readonly epoch: number;
    readonly machine: string | null;
  }[];
}

export function ledgerStatusCommand({ json }: JsonOption): Promise<number> {
  return showReading<LedgerStatus>({ json, text: statusText }, async () => {
    using opened = await openEngine();
    const { ledger, machine } = opened.engine;
    const { tasks } = await ledger.survey();
    const machines = await ledger.machines();
    return {
      ...(await ledger.about()),
      tasks: tasks.length,
      sessions: new Set(tasks.flatMap(({ session }) => session ?? [])).size,
      machines: machines.map((one) => ({
        ...one,
        last_seen: new Date(one.beatMs).toISOString(),
        is_this: isHere({ machine: one.id }, machine),
      })),
      roles: (await ledger.roles())
        .filter(({ leaseState }) => leaseState === "running")
        .map(({ name, epoch, holder }) => ({ role: name, epoch, machine: holder?.machine ?? null })),
    };
  });
}

function statusText({ engine, place, version, bytes, events, tasks, machines, roles }: LedgerStatus): string {
  const nameOf = (id: string | null) => machines.find((one) => one.id === id)?.name ?? id ?? "this machine";
  const lines = [
    `${engine === "sqlite" ? "SQLite" : "PostgreSQL"} ${printable(place)}, format ${version}`,
    `${counted(events, "event")}, ${counted(tasks, "task")}, ${megabytes(bytes)}`,
    ...roles.map(
      ({ role, epoch, machine }) => `${printable(role)}: ${printable(nameOf(machine))}, epoch ${epoch}`,
    ),
  ];
  const rows = machines.map(({ name, id, lockstep, last_seen, is_this }) => [
    printable(`${name}${is_this ? " (this one)" : ""}`),
    id,
    lockstep,
    localTime(last_seen),
  ]);
  const list = rows.length === 0 ? "" : `\n${table(["MACHINE", "ID", "LOCKSTEP", "LAST SEEN"], rows)}`;
  return `${lines.join("\n")}\n${list}`;
}

export function ledgerMigrateCommand({
  json,
  machine,
}: JsonOption & { readonly machine: string }): Promise<number> {
  const text = ({ from, to }: { from: number; to: number }) =>
    from === to
      ? `the ledger already has format ${to}\n`
      : `the ledger now has format ${to}; before, it had ${from || "none"}\n`;
  return showReading({ json, text }, async () => {
    const { Connection } = await import("../../ledger/postgres/connection.ts");
    const { migrate } = await import("../../ledger/postgres/migrations.ts");
    const connection = await Connection.open({ url: await neededUrl(findProject(currentFolder())) });
    try {
      return await migrate(connection, { lockstep: manifest.version, machine });
    } finally {
      connection.close();
    }
  });
}

/** The URL of the shared ledger; commands that need one say how to configure it. */
async function neededUrl(project: Project): Promise<string> {
  const url = ledgerUrl(await readConfig(project)) ?? knownLedgerUrl(project);
  if (url !== undefined) return url;
  throw new CommandFault(
    "R-IN-001",
    "no shared ledger is configured: set `ledger: { url: postgres://USER@HOST/DATABASE }` in .lockstep/config.yaml, or LOCKSTEP_LEDGER_URL",
  );
}

interface Moved {
  readonly to: string;
  readonly events: number;
  readonly tasks: number;
  readonly kept: readonly string[];
}

/** Copies the ledger into an empty database, or back into a file, and compares both event by event. */
export function ledgerMoveCommand({ json, to }: JsonOption & { readonly to: string }): Promise<number> {
  const text = ({ events, tasks, kept, to: where }: Moved) =>
    [
      `copied ${counted(events, "event")} and ${counted(tasks, "task")}, and compared them one by one`,
      ...(kept.length === 0 ? [] : [`the old files are kept: ${kept.join(", ")}`]),
      where === "sqlite"
        ? "now remove `ledger.url` from .lockstep/config.yaml"
        : "now set `ledger: { url: … }` in .lockstep/config.yaml on every machine",
      "",
    ].join("\n");
  return showReading<Moved>({ json, text }, async () => {
    const project = findProject(currentFolder());
    const folder = openStateFolder(project);
    return to === "sqlite" ? moveToFile(project, folder) : moveToDatabase(project, folder, to);
  });
}

async function moveToDatabase(project: Project, folder: string, url: string): Promise<Moved> {
  if (readDatabaseUrl(url) === undefined)
    throw new CommandFault(
      "R-IN-001",
      "--to takes a URL such as postgres://OWNER@HOST/DATABASE, with special characters of a password percent-encoded, or `sqlite`",
    );
  if (!hasOwnLedger(project))
    throw new CommandFault("R-ST-001", "this machine has no ledger to move: begin with the new one");
  const { readSqliteCopy } = await import("../../ledger/sqlite/copy-ledger.ts");
  const { readPostgresCopy, writePostgresCopy } = await import("../../ledger/postgres/copy-ledger.ts");
  const copy = await readSqliteCopy(folder);
  refuseAtWork(copy);
  await writePostgresCopy(url, copy);
  refuseDifference(copy, await readPostgresCopy(url));
  refuseChanged(copy, await readSqliteCopy(folder));
  return { to: "postgres", events: copy.events.length, tasks: copy.tasks.length, kept: [] };
}

async function moveToFile(project: Project, folder: string): Promise<Moved> {
  const { readSqliteCopy, writeSqliteCopy } = await import("../../ledger/sqlite/copy-ledger.ts");
  const { readPostgresCopy } = await import("../../ledger/postgres/copy-ledger.ts");
  const url = await neededUrl(project);
  const copy = await readPostgresCopy(url);
  refuseAtWork(copy);
  const kept = await writeSqliteCopy(folder, copy, new Date());
  refuseDifference(copy, await readSqliteCopy(folder));
  refuseChanged(copy, await readPostgresCopy(url));
  return { to: "sqlite", events: copy.events.length, tasks: copy.tasks.length, kept };
}

function refuseDifference(one: LedgerCopy, other: LedgerCopy): void {
  const difference = differenceOf(one, other);
  if (difference !== undefined)
    throw new CommandFault(
      "E-STORE",
      `the copy is not the same: ${difference}: do not use it, and report this`,
    );
}

/** Another process may have used the ledger while it was copied. */
function refuseChanged(copied: LedgerCopy, now: LedgerCopy): void {
  if (now.commits === copied.commits) return;
  throw new CommandFault(
    "R-ST-001",
    "the ledger was changed while it was copied: do not use the copy; stop what works here, and move again into an empty database",
  );
}

/** A lease belongs to the clock of its ledger, so none may be running. */
function refuseAtWork({ attempts, intents }: LedgerCopy): void {
  if (intents.some(({ done }) => !done))
    throw new CommandFault(
      "R-ST-001",
      "a landing was interrupted: finish it first with `lockstep land` or `lockstep run`",
    );
  const running = attempts.find(({ leaseState }) => leaseState === "running");
  if (running !== undefined)
    throw new CommandFault(
      "R-ST-001",
      `task \`${running.task}\` is at work: wait until it ends, or stop it with \`lockstep stop ${running.task}\``,
    );
}

export function ledgerArchiveCommand({
  json,
  before,
  to,
}: JsonOption & { readonly before: string; readonly to: string }): Promise<number> {
  type Done = { readonly sessions: readonly string[]; readonly documents: number; readonly file: string };
  const text = ({ sessions, documents, file }: Done) =>
    sessions.length === 0
      ? `no session ended before ${printable(before)}\n`
      : `moved ${counted(documents, "document")} of ${counted(sessions.length, "session")} to ${printable(file)}\n`;
  return showReading<Done>({ json, text }, async () => {
    const time = Date.parse(before);
    if (Number.isNaN(time))
      throw new CommandFault(
        "R-IN-001",
        `--before takes a date such as 2026-01-31, not \`${printable(before)}\``,
      );
    const file = resolve(currentFolder(), to);
    if (existsSync(file))
      throw new CommandFault("R-IN-001", `${printable(file)} exists: choose another name`);
    const { archiveSessions } = await import("../../ledger/postgres/archive-sessions.ts");
    const done = await archiveSessions({
      url: await neededUrl(findProject(currentFolder())),
      ...{ before: new Date(time), at: new Date(), file },
      write: (lines) => writeFileSync(file, lines, { mode: 0o600, flush: true, flag: "wx" }),
    });
    return { ...done, file };
  });
}

export function ledgerAcceptLossCommand({ json }: JsonOption): Promise<number> {
  type Done = { readonly events: number; readonly lost: number | null };
  const text = ({ events, lost }: Done) =>
    `the ledger continues after event ${events}${lost === null ? "" : `; this machine knew ${counted(lost, "event")}`}\n`;
  return showReading<Done>({ json, text }, async () => {
    const { now, before, kept } = await acceptLost(findProject(currentFolder()));
    tellKept(kept);
    return { events: now?.seq ?? 0, lost: before?.seq ?? null };
  });
}

export function tellKept(files: readonly string[]): void {
  if (files.length > 0) writeAll(2, `the old files are kept: ${files.join(", ")}\n`);
}

/** A person confirms that changes are lost, in whichever ledger the project has. */
export async function acceptLost(project: Project) {
  const url = ledgerUrl(await readConfig(project)) ?? knownLedgerUrl(project);
  const heads = headsFolder(project);
  if (url === undefined) {
    const { acceptLoss } = await import("../../ledger/sqlite/accept-loss.ts");
    return acceptLoss(openStateFolder(project), new Date(), heads);
  }
  const { acceptLoss } = await import("../../ledger/postgres/open-ledger.ts");
  return { ...(await acceptLoss({ url, heads }, new Date())), kept: [] };
}
