import { useEffect, useState } from "preact/hooks";
import type { Overview } from "../../contract/board.ts";
import { Client, type Query, Refused, type Views } from "./client.ts";

export const client = new Client();

export type Connection = "opening" | "live" | "lost" | "closed";

interface State {
  readonly connection: Connection;
  /** Why the page is not open. */
  readonly why: string;
  /** Grows with every change of the ledger. */
  readonly tick: number;
  readonly seq: number;
  readonly overview: Overview | null;
  readonly path: string;
}

let state: State = {
  connection: "opening",
  why: "",
  tick: 0,
  seq: 0,
  overview: null,
  path: location.pathname + location.search,
};
const watchers = new Set<() => void>();

function set(change: Partial<State>): void {
  state = { ...state, ...change };
  for (const watcher of watchers) watcher();
}

export function useBoard(): State {
  const [seen, show] = useState(state);
  useEffect(() => {
    const watch = () => show(state);
    watchers.add(watch);
    watch();
    return () => void watchers.delete(watch);
  }, []);
  return seen;
}

/** Goes to another view. */
export function go(path: string): void {
  if (path === state.path) return;
  history.pushState(null, "", path);
  set({ path });
  scrollTo(0, 0);
}

/** Changing a filter adds no entry to the browser history. */
export function amend(path: string): void {
  history.replaceState(null, "", path);
  set({ path });
}

addEventListener("popstate", () => set({ path: location.pathname + location.search }));

const retryMs = { first: 300, last: 5000 };

/** Opens the page, then stays connected: after a break it continues with the number of the last event. */
export async function connect(): Promise<void> {
  try {
    await client.open();
  } catch (error) {
    set({ connection: "closed", why: messageOf(error) });
    return;
  }
  let pause = retryMs.first;
  for (;;) {
    try {
      const overview = await client.get("overview");
      timeOf(overview.now);
      set({ overview, connection: "live", seq: Math.max(state.seq, overview.seq), tick: state.tick + 1 });
      pause = retryMs.first;
      await client.listen(state.seq, ({ seq }) => heard(seq), new AbortController().signal);
    } catch (error) {
      if (error instanceof Refused && error.status === 401 && !(await resumed())) return;
    }
    set({ connection: "lost" });
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, retryMs.last);
  }
}

async function resumed(): Promise<boolean> {
  try {
    await client.resume();
    return true;
  } catch (error) {
    // Without an answer the server is not there yet, and the page tries again.
    if (!(error instanceof Refused)) return true;
    set({ connection: "closed", why: messageOf(error) });
    return false;
  }
}

let isReading = false;
let isStale = false;

function heard(seq: number): void {
  set({ seq, tick: state.tick + 1 });
  isStale = true;
  void readOverview();
}

/** One read at a time, with a pause, however many messages come. */
async function readOverview(): Promise<void> {
  if (isReading) return;
  isReading = true;
  while (isStale) {
    isStale = false;
    try {
      set({ overview: await client.get("overview") });
    } catch {
      // The connection itself finds out why, and reads again when it is back.
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  isReading = false;
}

const pauseMs = 400;

/** After an action of this page. */
export function refresh(): void {
  set({ tick: state.tick + 1 });
  isStale = true;
  void readOverview();
}

export interface Loaded<Document> {
  readonly document: Document | undefined;
  readonly fault: string | undefined;
}

/** A document of the server, read again whenever the ledger changes. The old one stays until the new one is there. */
export function useView<Name extends keyof Views>(name: Name, query: Query = {}): Loaded<Views[Name]> {
  const wanted = `${name} ${JSON.stringify(query)}`;
  const [loaded, show] = useState<Loaded<Views[Name]> & { readonly of: string }>({ ...nothing, of: "" });
  useEffect(() => {
    const stop = new AbortController();
    void follow(stop.signal, async () => {
      try {
        show({ document: await client.get(name, query, stop.signal), fault: undefined, of: wanted });
      } catch (error) {
        const fault = messageOf(error);
        if (!stop.signal.aborted)
          show((old) => ({ ...(old.of === wanted ? old : nothing), fault, of: wanted }));
      }
    });
    return () => stop.abort();
  }, [wanted]);
  return loaded.of === wanted ? loaded : nothing;
}

const nothing = { document: undefined, fault: undefined };

/** Reads at once and after every change, with a pause in between that grows with the duration of a read. */
export async function follow(stop: AbortSignal, read: () => Promise<void>): Promise<void> {
  for (let seen = -1; !stop.aborted; ) {
    await changeSince(seen, stop);
    if (stop.aborted) return;
    seen = state.tick;
    const since = performance.now();
    await read();
    const pause = Math.max(pauseMs, (performance.now() - since) * 5);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function changeSince(seen: number, stop: AbortSignal): Promise<void> {
  const isNew = () => stop.aborted || (state.tick !== seen && state.connection === "live");
  if (isNew()) return Promise.resolve();
  return new Promise((resolve) => {
    const watch = () => {
      if (!isNew()) return;
      watchers.delete(watch);
      resolve();
    };
    watchers.add(watch);
    stop.addEventListener("abort", watch, { once: true });
  });
}

/** How far the ledger's clock is ahead of the browser's. */
let aheadMs = 0;

function timeOf(now: string): void {
  const ahead = Date.parse(now) - Date.now();
  // The answer took a moment: a small difference is none.
  aheadMs = Math.abs(ahead) < 5000 ? 0 : ahead;
}

/** The ledger's time, for ages: changes every few seconds. */
export function useNow(everyMs = 1000): number {
  const [now, show] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => show(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now + aheadMs;
}

export function messageOf(error: unknown): string {
  if (error instanceof Refused) return error.message;
  return error instanceof TypeError
    ? "the server does not answer"
    : String(error instanceof Error ? error.message : error);
}
