import { randomUUID } from "node:crypto";
import type { Session } from "../../core/session/session.ts";
import type { Task } from "../../core/tasks/task.ts";
import { canonicalJson, textAroundSeq } from "../event-chain.ts";
import { InvariantBroken } from "../invariant-broken.ts";
import type { Attempt, Change, Decision, NewEvent, NewLock, Role } from "../ledger.ts";
import { prefixesOf } from "../lock-prefixes.ts";
import { assertStateChain } from "../state-chain.ts";
import { assertStorable } from "../storable.ts";
import { type Document, documentsOf, isDurable } from "../written-documents.ts";

/** What the process that makes a change knows of the ledger. */
interface KnownState {
  readonly format: number;
  readonly name: string;
  /** Commits. */
  readonly seen: number;
}

/**
 * A change in the form that the function `apply_change` of the database takes: documents as text, with the columns by which
 * they are found. Parts without content are left out.
 */
export function envelopeOf(change: Change, known: KnownState): string {
  const documents = documentsOf(change);
  const { expect = {}, take = [], release, settings = {}, evidence = [], intents = [], request } = change;
  const isLight = !isDurable(change) && isRenewal(change);
  const broken = whyBroken(change);
  const parts = {
    ...known,
    ...(isLight ? { light: true } : { id: randomUUID() }),
    ...(isDurable(change) ? { counts: true } : {}),
    ...(broken === undefined ? {} : { broken }),
    fence: expect.fence,
    expectTasks: Object.entries(expect.tasks ?? {}).map(([key, version], at) => ({ at, key, version })),
    expectRoles: Object.entries(expect.roles ?? {}).map(([key, epoch]) => ({ key, epoch })),
    ...Object.fromEntries(
      (["tasks", "attempts", "decisions", "sessions", "roles"] as const).map((table) => [
        table,
        documents
          .filter((one) => one.table === table)
          .map(({ key, document }, at) => ({
            at,
            ...rowOf(key, document),
            ...columns[table](document, change),
          })),
      ]),
    ),
    release: release === undefined || release.tasks.length === 0 ? undefined : release,
    take: take.map((lock, index) => lockRow(lock, index + 1)),
    evidence: evidence.map((run) => ({
      key: storable(run.key),
      body: canonicalJson(run),
      failed: run.exit !== 0,
    })),
    settings: Object.entries(settings)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => ({ key, body: canonicalJson(value) })),
    intents: intents.map((intent, index) => ({
      at: index + 1,
      body: canonicalJson({ ...intent, data: intent.data ?? null }),
    })),
    intentsDone: change.intentsDone,
    request: request === undefined ? undefined : requestRow(request),
    events: change.events?.map(eventRow),
  };
  const filled = Object.entries(parts).filter(([, part]) => !Array.isArray(part) || part.length > 0);
  return JSON.stringify(Object.fromEntries(filled));
}

/** Only renews leases, so it needs no lock but that of the attempts and roles. */
function isRenewal(change: Change): boolean {
  const { attempts, roles, expect, durable, relieves, ...others } = change;
  return Object.keys(others).length === 0 && expect?.fence === undefined && expect?.roles === undefined;
}

/**
 * What is wrong with the change itself, independent of what is stored. The database reports it only if the change is based on
 * current data.
 */
function whyBroken({ tasks = [], events = [], take = [], expect }: Change): string | undefined {
  try {
    assertStateChain({ tasks, events }, (key) => stateBefore(key, tasks, events));
    for (const lock of take) if (lock.kind === "resource") assertStorable(lock.resource);
  } catch (error) {
    if (error instanceof InvariantBroken) return error.message;
    throw error;
  }
  return take.length > 0 && expect?.fence === undefined
    ? "INV-1: locks are taken without the fence at which their overlap was checked"
    : undefined;
}

/** The state that a task must be stored with so that its events fit. */
function stateBefore(key: string, tasks: readonly Task[], events: readonly NewEvent[]) {
  const first = events.find(({ task, from, to }) => task === key && (from !== null || to !== null));
  return first === undefined ? (tasks.find((task) => task.key === key)?.state ?? null) : first.from;
}

function rowOf(key: string, document: Document) {
  const { version } = document;
  return { key: storable(key), version, body: canonicalJson({ ...document, version: version + 1 }) };
}

type Columns = (document: Document, change: Change) => object;

const columns: Readonly<Record<"tasks" | "attempts" | "decisions" | "sessions" | "roles", Columns>> = {
  tasks: (document, { tasks = [], events = [] }) => {
    const { key, state, session, hold, dependsOn } = document as Task;
    return {
      ...{ state, session: column(session), waits_for: column(hold?.by) },
      needs: [...new Set(dependsOn.map(storable))],
      was: stateBefore(key, tasks, events),
    };
  },
  attempts: (document) => {
    const { task, number, leaseState } = document as Attempt;
    return { task, number, lease_state: leaseState };
  },
  decisions: (document) => ({ state: (document as Decision).state }),
  sessions: (_document: Document | Session) => ({}),
  roles: (document) => ({ epoch: (document as Role).epoch }),
};

function lockRow(lock: NewLock, at: number) {
  const { task, kind, resource } = lock;
  const prefixes = prefixesOf(lock).map((prefix) => column(prefix) as string);
  return { at, body: canonicalJson(lock), task, kind, resource: column(resource), prefixes };
}

function requestRow({ key, ...answered }: NonNullable<Change["request"]>) {
  return { key: storable(key), body: canonicalJson(answered) };
}

export function eventRow(event: NewEvent) {
  return { ...textAroundSeq(event), task: column(event.task), type: column(event.type) };
}

function storable(text: string): string {
  assertStorable(text);
  return text;
}

/** A column only finds documents: what cannot be stored as text is replaced there, and the document keeps it. */
export function column(text: string | null | undefined): string | null {
  return text == null ? null : text.toWellFormed().replaceAll("\0", "\ufffd");
}
