import type { Task } from "../../core/tasks/task.ts";
import type { Head } from "../audit-head.ts";
import { canonicalJson, link, type Tail } from "../event-chain.ts";
import type { Change, NewEvent, Role, StoredRun } from "../ledger.ts";
import { assertStateChain } from "../state-chain.ts";
import { assertStorable } from "../storable.ts";
import { type Document, documentsOf, isDurable, type Versioned } from "../written-documents.ts";
import type { Connection } from "./connection.ts";
import { readMeta, writeMeta } from "./meta.ts";
import { readTail } from "./read-events.ts";
import type { StoredIntent } from "./read-tasks.ts";
import { insertSealed, nextKey, readSealed, readWhole, updateSealed } from "./sealed-rows.ts";
import { releaseLocks, takeLocks } from "./write-locks.ts";

/** Must run inside a transaction. All checks come before the first write. */
export function applyChange(connection: Connection, change: Change): Head | { readonly conflict: string } {
  if (change.request !== undefined && readSealed(connection, "requests", change.request.key) !== undefined)
    return { conflict: "request" };
  const documents = documentsOf(change).map((one) => ({
    ...one,
    was: readSealed<Document>(connection, one.table, one.key),
  }));
  const conflict = whyStale(connection, change) ?? whyOutdated(documents);
  if (conflict !== undefined) return { conflict };

  const { tasks = [], events = [] } = change;
  const tasksBefore = new Map(
    documents.filter(({ table }) => table === "tasks").map(({ key, was }) => [key, was as Task | undefined]),
  );
  assertStateChain({ tasks, events }, (key) => tasksBefore.get(key)?.state ?? null);

  if (change.release !== undefined) releaseLocks(connection, change.release);
  takeLocks(connection, change);
  for (const one of documents) writeDocument(connection, one);
  for (const task of tasks) writeDependencies(connection, task, tasksBefore.get(task.key));
  writeEvidence(connection, change);
  writeSettings(connection, change);
  writeIntents(connection, change);
  if (change.request !== undefined) writeRequest(connection, change.request);
  const tail = appendEvents(connection, events);
  return { ...tail, commits: countCommit(connection, isDurable(change)) };
}

function whyStale(connection: Connection, { expect = {}, intentsDone = [] }: Change): string | undefined {
  if (expect.fence !== undefined && expect.fence !== readMeta(connection, "fence")) return "fence";
  for (const [key, version] of Object.entries(expect.tasks ?? {})) {
    if ((readSealed<Task>(connection, "tasks", key)?.version ?? 0) !== version) return `task ${key}`;
  }
  for (const [name, epoch] of Object.entries(expect.roles ?? {})) {
    if ((readSealed<Role>(connection, "roles", name)?.epoch ?? 0) !== epoch) return `role ${name}`;
  }
  const done = intentsDone.find((id) => readSealed<StoredIntent>(connection, "intents", id)?.done !== false);
  return done === undefined ? undefined : `intent ${done}`;
}

function whyOutdated(documents: readonly (Versioned & { readonly was: Document | undefined })[]) {
  const one = documents.find(({ document, was }) => (was?.version ?? 0) !== document.version);
  return one === undefined ? undefined : `${one.table.replace(/s$/, "")} ${one.key}`;
}

function writeDocument(connection: Connection, { table, key, document }: Versioned): void {
  const row = { key, body: JSON.stringify({ ...document, version: document.version + 1 }) };
  if (document.version === 0) insertSealed(connection, table, row);
  else updateSealed(connection, table, row);
}

function writeDependencies(connection: Connection, task: Task, was: Task | undefined): void {
  const [before, after] = [new Set(was?.dependsOn), new Set(task.dependsOn)];
  for (const needed of [...before].filter((one) => !after.has(one)))
    connection.run("DELETE FROM dependencies WHERE needed = ? AND task = ?", needed, task.key);
  for (const needed of [...after].filter((one) => !before.has(one))) {
    assertStorable(needed);
    connection.run("INSERT INTO dependencies (needed, task) VALUES (?, ?)", needed, task.key);
  }
}

function writeSettings(connection: Connection, { settings = {} }: Change): void {
  for (const [key, value] of Object.entries(settings)) {
    if (value === undefined) continue;
    const row = { key, body: JSON.stringify(value) };
    const isNew = readSealed(connection, "settings", key) === undefined;
    (isNew ? insertSealed : updateSealed)(connection, "settings", row);
  }
}

function writeEvidence(connection: Connection, { evidence = [] }: Change): void {
  for (const run of evidence) {
    const known = readWhole<StoredRun>(connection, "evidence", run.key);
    if (run.exit === 0 && known !== undefined && known.exit !== 0) continue;
    connection.run("DELETE FROM evidence WHERE key = ?", run.key);
    insertSealed(connection, "evidence", { key: run.key, body: JSON.stringify(run) });
  }
}

function writeIntents(connection: Connection, { intents = [], intentsDone = [] }: Change): void {
  for (const id of intentsDone) {
    const intent = readSealed<StoredIntent>(connection, "intents", id);
    updateSealed(connection, "intents", { key: id, body: JSON.stringify({ ...intent, done: true }) });
  }
  const first = intents.length === 0 ? 0 : nextKey(connection, "intents");
  intents.forEach((intent, index) => {
    const stored: StoredIntent = { ...intent, data: intent.data ?? null, done: false };
    insertSealed(connection, "intents", { key: first + index, body: JSON.stringify(stored) });
  });
}

function writeRequest(connection: Connection, { key, ...answered }: NonNullable<Change["request"]>): void {
  insertSealed(connection, "requests", { key, body: JSON.stringify(answered) });
}

/** INV-5: events are stored in the same transaction as the changes they describe. */
function appendEvents(connection: Connection, events: readonly NewEvent[]): Tail {
  let tail = readTail(connection);
  for (const event of events) {
    const { seq, ...body } = link(tail, event);
    insertSealed(connection, "events", { key: seq, body: canonicalJson(body) });
    tail = { seq, hash: body.hash };
  }
  return tail;
}

function countCommit(connection: Connection, counts: boolean): number {
  const commits = readMeta(connection, "commits") + (counts ? 1 : 0);
  if (counts) writeMeta(connection, "commits", commits);
  return commits;
}
