import { execFile } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Ground } from "./ground.ts";
import { idOf } from "./project.ts";

const execute = promisify(execFile); // a call that waits would stall the proxies of this process

/** How late the end of a lease may be noticed: processes start again, and the server extends leases after a restart. */
const lateSecondsMax = 120;

/** Checks, during the run and at its end, what must hold. */
export class Judge {
  readonly #ground: Ground;
  readonly #seen = new Set<string>();
  /** In the order in which they were found. */
  readonly violations: string[] = [];

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  get commits(): number {
    return this.#seen.size;
  }

  /** Every commit that the base ever had passes the project's check. */
  async judgeBase(): Promise<void> {
    const { git } = this.#ground;
    for (const commit of git("rev-list", "--first-parent", "--reverse", "main").split("\n")) {
      if (this.#seen.has(commit)) continue;
      this.#seen.add(commit);
      const why = await this.#whyRed(commit);
      if (why !== undefined) this.#violate(`the base is red at ${commit.slice(0, 12)}: ${why}`);
    }
    const tips = new Set(git("rev-list", "main").split("\n"));
    for (const commit of this.#seen)
      if (!tips.has(commit)) this.#violate(`${commit.slice(0, 12)} was on the base and is gone`);
  }

  async #whyRed(commit: string): Promise<string | undefined> {
    const { folder } = this.#ground;
    const place = join(folder, "judged");
    mkdirSync(place);
    try {
      const repository = join(folder, "host", "remote.git");
      const script = 'git -C "$0" archive "$1" | tar -x && sh check.sh';
      await execute("sh", ["-c", script, repository, commit], { cwd: place });
      return undefined;
    } catch (error) {
      return (error as { stdout?: string }).stdout?.trim() ?? String(error);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  }

  /** No attempt holds its locks long after its lease. */
  async judgeLocks(): Promise<void> {
    const rows =
      await this.#query(`SELECT l.task FROM lockstep.locks l JOIN lockstep.attempts a ON a.task = l.task,
      lockstep.clock c WHERE l.active AND a.lease_state = 'running' AND c.ms > c.grace_ms
        + ((a.body::json->'lease'->>'timeoutSeconds')::bigint + ${lateSecondsMax}) * 1000
        + (a.body::json->'lease'->>'beatMs')::bigint`);
    for (const { task } of rows) this.#violate(`${task} holds its locks long after its lease`);
  }

  async merged(): Promise<number> {
    return Number(
      (await this.#query("SELECT count(*) AS n FROM lockstep.tasks WHERE state = 'MERGED'"))[0]?.n,
    );
  }

  async judgeEnd(tasks: number): Promise<void> {
    await this.judgeBase();
    const states = await this.#query("SELECT key, state, body FROM lockstep.tasks ORDER BY key");
    const events = await this.#query("SELECT task FROM lockstep.events WHERE type = 'task.merged'");
    const subjects = this.#ground.git("log", "--first-parent", "--format=%s", "main").split("\n");
    for (let number = 1; number <= tasks; number += 1) {
      const id = idOf(number);
      const task = states.find(({ key }) => String(key).endsWith(`/${id}`));
      const times = events.filter((event) => String(event.task).endsWith(`/${id}`)).length;
      const commits = subjects.filter((subject) => subject.startsWith(`${id}: `)).length;
      if (task?.state !== "MERGED")
        this.#violate(`${id} is ${task?.state ?? "lost"}, not MERGED: ${String(task?.body).slice(0, 600)}`);
      if (times !== 1) this.#violate(`${id} is recorded as merged ${times} times`);
      if (commits !== 1) this.#violate(`${id} is on the base ${commits} times`);
    }
    const held = await this.#query("SELECT task FROM lockstep.locks WHERE active");
    for (const { task } of held) this.#violate(`${task} still holds locks`);
    const left = await this.#query("SELECT body FROM lockstep.intents WHERE NOT done");
    for (const { body } of left) this.#violate(`an intent is left: ${String(body).slice(0, 300)}`);
  }

  /** By a command of a machine, as a person would ask. */
  async judgeCommand(words: readonly string[]): Promise<void> {
    const [machine] = this.#ground.machines;
    const command = new URL("../../bin/lockstep.cjs", import.meta.url).pathname;
    try {
      const cwd = join(this.#ground.folder, "m1", "clone");
      await execute(process.execPath, [command, ...words], { cwd, env: machine?.env ?? {} });
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      this.#violate(`\`lockstep ${words.join(" ")}\` fails: ${stderr}${stdout}`.slice(0, 2000));
    }
  }

  #query(sql: string): Promise<Record<string, unknown>[]> {
    return this.#ground.server.query("ledger", sql);
  }

  #violate(text: string): void {
    if (!this.violations.includes(text)) this.violations.push(text);
  }
}
