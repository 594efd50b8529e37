import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CuttingProxy, cuttingProxy } from "../../test/support/cutting-proxy.ts";

interface MachineOptions {
  readonly name: string;
  /** Its home, state folder, log and clones are in here. */
  readonly folder: string;
  readonly cwd: string;
  readonly words: (remote: string) => readonly string[];
  readonly ports: { readonly database: number; readonly remote: number };
}

const command = new URL("../../bin/lockstep.cjs", import.meta.url).pathname;

/** After a command has ended by itself. */
const againMs = 2_000;

/** A machine with its own home and state folder, which reaches the database and the remote through proxies of its own. */
export class Machine implements AsyncDisposable {
  readonly name: string;
  readonly log: string;
  readonly links: { readonly database: CuttingProxy; readonly remote: CuttingProxy };
  /** How the command ended, by exit code or signal. */
  readonly ends: string[] = [];
  readonly #options: MachineOptions;
  #child: ChildProcess | undefined;
  #frozen: readonly number[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isWanted = false;

  private constructor(options: MachineOptions, links: Machine["links"]) {
    this.name = options.name;
    this.log = join(options.folder, "log");
    this.#options = options;
    this.links = links;
  }

  static async create(options: MachineOptions): Promise<Machine> {
    for (const part of ["home", "state"]) mkdirSync(join(options.folder, part), { recursive: true });
    const { database, remote } = options.ports;
    const links = { database: await cuttingProxy(database), remote: await cuttingProxy(remote) };
    return new Machine(options, links);
  }

  get remote(): string {
    return `git://127.0.0.1:${this.links.remote.port}/remote.git`;
  }

  get isUp(): boolean {
    return this.#child !== undefined;
  }

  get env(): NodeJS.ProcessEnv {
    const { folder, name } = this.#options;
    const { PATH, LANG, TMPDIR } = process.env;
    return {
      ...{ PATH, LANG, TMPDIR, HOME: join(folder, "home"), XDG_STATE_HOME: join(folder, "state") },
      LOCKSTEP_LEDGER_URL: `postgres://machine@127.0.0.1:${this.links.database.port}/ledger`,
      ...{ LOCKSTEP_MACHINE: name, LOCKSTEP_REMOTE_SECONDS: "15" },
    };
  }

  /** Runs its command, again and again, until `rest`. */
  start(): void {
    this.#isWanted = true;
    clearTimeout(this.#timer);
    if (this.#child !== undefined) return;
    const output = openSync(this.log, "a");
    const words = [command, ...this.#options.words(this.remote)];
    const child = spawn(process.execPath, words, {
      ...{ cwd: this.#options.cwd, env: this.env, stdio: ["ignore", output, output] },
    });
    closeSync(output);
    this.#child = child;
    child.on("close", (status, signal) => {
      this.#child = undefined;
      this.ends.push(signal ?? String(status));
      if (this.#isWanted) this.#timer = setTimeout(() => this.start(), againMs);
    });
  }

  /** `all`: its agents and checks too, as when the machine loses its power. */
  kill(all: boolean): void {
    this.#isWanted = false;
    clearTimeout(this.#timer);
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    // From the top down, so that nothing sees its child end first.
    for (const each of all ? treeOf(pid) : [pid]) signal(each, "SIGKILL");
  }

  /** Ends its command once, as a person would, and does not start it again. */
  rest(): void {
    this.#isWanted = false;
    clearTimeout(this.#timer);
    this.#child?.kill("SIGINT");
  }

  freeze(): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    this.#frozen = treeOf(pid);
    for (const each of this.#frozen) signal(each, "SIGSTOP");
  }

  thaw(): void {
    for (const each of this.#frozen.toReversed()) signal(each, "SIGCONT");
    this.#frozen = [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill(true);
    for (const link of Object.values(this.links)) await link[Symbol.asyncDispose]();
  }
}

/** A process and its descendants. */
function treeOf(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

function childrenOf(pid: number): readonly number[] {
  try {
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return listed.split(" ").filter(Boolean).map(Number);
  } catch {
    return []; // it has ended
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
