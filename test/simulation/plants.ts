import type { Task } from "../../src/core/tasks/task.ts";
import type { Call } from "../../src/engine/change/engine.ts";
import { tokenOf } from "../../src/engine/change/fence.ts";
import type { Change, Committed, Ledger } from "../../src/ledger/ledger.ts";
import type { Request } from "./request.ts";

/** A bug between the engine and its caller or its ledger, which the invariants have to detect. */
export interface Plant {
  /** The replaced call of the engine. */
  call?(request: Request, ledger: Ledger): Promise<Call>;
  /** The replaced commit; undefined if this one is unchanged. */
  commit?(change: Change, ledger: Ledger, secrets: readonly string[]): Promise<Committed | undefined>;
  /** Expired leases are never ended. */
  readonly noWatchdog?: true;
}

export const plants = {
  none: {},

  /** The engine sees the current epoch and token, whatever the caller sends. */
  "skip-epoch-check": {
    async call({ call, carried }, ledger) {
      if (carried === undefined) return call;
      const epoch = (await ledger.attempt(carried.task))?.epoch ?? 0;
      const token = call.token === undefined ? {} : { token: tokenOf(ledger, carried.task, epoch) };
      return { ...call, epoch, ...token };
    },
  },

  /** Locks are taken even if others took some after the overlap was checked. */
  "no-fence": {
    async commit(change, ledger) {
      if (change.expect?.fence === undefined) return undefined;
      return ledger.commit({ ...change, expect: { ...change.expect, fence: await ledger.fence() } });
    },
  },

  /** The last write wins, and changes in between are lost. */
  "no-versions": {
    async commit(change, ledger) {
      const tasks: Task[] = [];
      for (const task of change.tasks ?? []) {
        const stored = await ledger.task(task.key);
        // With another state the ledger itself would refuse it (INV-5).
        tasks.push(
          stored?.version === task.version + 1
            ? { ...task, version: stored.version, state: stored.state }
            : task,
        );
      }
      const stale = tasks.some((task, index) => task !== change.tasks?.[index]);
      if (!stale) return undefined;
      return ledger.commit({
        ...change,
        tasks,
        events: (change.events ?? []).filter(({ to }) => to === null),
      });
    },
  },

  /** Of several steps in one change only the last is recorded. */
  "lost-event": {
    async commit(change, ledger) {
      const { tasks = [], events = [] } = change;
      const steps = events.filter(({ to }) => to !== null);
      if (steps.length === 0 || steps.some(({ from }) => from === null)) return undefined;
      const first = (key: string) => steps.find(({ task }) => task === key)?.from ?? null;
      const last = (key: string) => steps.findLast(({ task }) => task === key);
      const short = tasks.flatMap(({ key }) => {
        const step = last(key);
        return step === undefined ? [] : [{ ...step, from: first(key) }];
      });
      return ledger.commit({ ...change, events: short });
    },
  },

  /** Reports a commit as stored, and stores nothing. */
  "lost-commit": {
    async commit(change, ledger) {
      const merged = change.events?.some(({ to }) => to === "MERGED");
      return merged === true ? { ok: true, seq: (await ledger.events()).length } : undefined;
    },
  },

  /** Forgets which requests were answered. */
  "lost-key": {
    async commit({ request, ...change }, ledger) {
      return request === undefined ? undefined : ledger.commit(change);
    },
  },

  /** Locks outlive their task. */
  "no-release": {
    async commit({ release, ...change }, ledger) {
      const merged = change.events?.some(({ to }) => to === "MERGED");
      return release === undefined || merged !== true ? undefined : ledger.commit(change);
    },
  },

  /** Masked text is stored unmasked. */
  "no-mask": {
    async commit(change, ledger, [secret]) {
      const text = JSON.stringify(change);
      if (secret === undefined || !text.includes("[secret: ")) return undefined;
      return ledger.commit(JSON.parse(text.replaceAll(/\[secret: [^\]]+\]/g, secret)) as Change);
    },
  },

  "no-watchdog": { noWatchdog: true },
} as const satisfies Record<string, Plant>;

export type PlantName = keyof typeof plants;
