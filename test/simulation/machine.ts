import type { Moment } from "../../src/core/leases/clock.ts";
import type { ProcessIdentity } from "../../src/core/leases/process-identity.ts";
import { memoryDisk } from "../support/memory-disk.ts";
import { linkTarget } from "./scopes.ts";

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Few, so that pids are soon reused. */
const pidsMax = 12;

/** The one computer that all processes of a simulation run on. */
export class Machine {
  readonly #contents: Record<string, string | null | { readonly to: string }> = {
    "/repo": null,
    "/repo/alias": { to: `/repo/${linkTarget}` },
  };
  readonly disk = memoryDisk(this.#contents);
  readonly place = { root: "/repo", home: "/home/me" };
  readonly #living = new Map<number, string>();
  #wallMs = Date.parse("2026-02-14T20:00:00Z");
  #monoMs = 1_000_000;
  #boots = 1;
  #spawned = 0;

  now = (): Moment => ({ wallMs: this.#wallMs, monoMs: this.#monoMs, boot: `boot-${this.#boots}` });

  /** Advances both clocks. */
  pass(ms: number): void {
    this.#wallMs += ms;
    this.#monoMs += ms;
  }

  /** Asleep: only the wall clock advances. */
  sleep(ms: number): void {
    this.#wallMs += ms;
  }

  jumpAhead(): void {
    this.#wallMs += dayMs;
  }

  jumpBack(): void {
    this.#wallMs -= hourMs;
  }

  reboot(): void {
    this.#boots += 1;
    this.#monoMs = 5;
    this.#wallMs += 30_000;
    this.#living.clear();
  }

  spawn(): number {
    this.#spawned += 1;
    const pid = 100 + (this.#spawned % pidsMax);
    this.#living.set(pid, String(this.#spawned));
    return pid;
  }

  kill(pid: number): void {
    this.#living.delete(pid);
  }

  get pids(): readonly number[] {
    return [...this.#living.keys()];
  }

  identityOf = (pid: number): ProcessIdentity | undefined => {
    const startedAt = this.#living.get(pid);
    return startedAt === undefined ? undefined : { pid, startedAt, boot: this.now().boot };
  };

  isAlive = ({ pid, startedAt, boot }: ProcessIdentity): boolean =>
    boot === this.now().boot && this.#living.get(pid) === startedAt;

  append(path: string, text: string): void {
    const before = this.#contents[`/repo/${path}`];
    this.#contents[`/repo/${path}`] = `${typeof before === "string" ? before : ""}${text}`;
  }
}
