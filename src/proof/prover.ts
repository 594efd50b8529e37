import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../contract/config.ts";
import type { CheckRun } from "../core/proof/check-record.ts";
import type { Inventory } from "../core/proof/inventory.ts";
import type { SetupPlan } from "../core/proof/setup-plan.ts";
import { maskSecrets } from "../core/secrets/mask-secrets.ts";
import {
  copyIncluded,
  type Included,
  includedMarks,
  readIncluded,
} from "../workspace/checkouts/included-files.ts";
import { networkAccess } from "../workspace/process/network-variables.ts";
import { chooseSandbox } from "../workspace/sandbox/choose-sandbox.ts";
import { realSearchPath } from "../workspace/sandbox/program-folders.ts";
import { type Sandbox, SandboxFault } from "../workspace/sandbox/sandbox.ts";
import { type ProofPlace, ProofPlaces } from "./proof-places.ts";
import { type CommitSetup, readSetup } from "./read-setup.ts";
import { keepInventory, keptInventory, type Reuse, readable, reuseInMemory, reuseKeys } from "./reuse.ts";
import { ranNoScript, resultKeys, setUpFault } from "./set-up-result.ts";
import { tellFailure } from "./tell-failure.ts";
import { SlowTeller } from "./tell-slow.ts";
import { runWalled, type WalledResult, type WalledRun } from "./walled-run.ts";
import { WholeOutput } from "./whole-output.ts";

export interface ProverOptions {
  readonly root: string;
  readonly commonFolder: string;
  /** Null: the tree's files tell. */
  readonly setup: readonly (readonly string[])[] | null;
  /** Untracked files and folders that checks need. */
  readonly include: readonly string[];
  readonly envPass: readonly string[];
  /** Paths below the home that checks may write. */
  readonly home?: readonly string[];
  /** `auto` unless told otherwise. */
  readonly sandbox?: Config["sandbox"];
  /** Where passes are kept beyond the life of this process. */
  readonly reuse?: Reuse;
  readonly checkMsMax?: number;
  /** How many checks may run side by side; 1 unless told otherwise. */
  readonly proofsMax?: number;
  /** When it is first said of a command that it still runs. */
  readonly slowMs?: number;
  onProgress?(line: string): void;
}

export interface Proven {
  readonly tree: string;
  readonly run: CheckRun;
  /** True if it passed before, and was not run now. */
  readonly reused: boolean;
  /** The tests that the check's runners reported; null where none did. */
  readonly inventory: Inventory | null;
}

/** What a check is told about the change it looks at. */
export interface ChangeFacts {
  readonly base: string;
  readonly changed: readonly string[];
}

/** What stands around checks; `missing`: why nothing does although it was wished for. */
export interface ProverWalls {
  readonly sandbox: Sandbox["kind"];
  readonly missing?: string;
}

interface Failed {
  readonly error: string;
}

interface Checked {
  readonly run: CheckRun;
  /** Whether its outcome is the tree's, and not this machine's. */
  readonly isTrees: boolean;
  readonly inventory: Inventory | null;
}

const maskedBytesMax = 256 * 1024;
const tailLengthMax = 4096;
const checkMsMax = 15 * 60_000;
const setupMsMax = 15 * 60_000;

/**
 * Runs commands on the exact trees of commits, in a checkout that no agent works in and behind walls, because agents
 * wrote what is run. A pass is not run twice for the same tree, command and set-up.
 */
export class Prover implements Disposable, AsyncDisposable {
  readonly walls: ProverWalls;
  readonly #options: ProverOptions;
  readonly #places: ProofPlaces;
  readonly #sandbox: Sandbox;
  readonly #reuse: Reuse;
  readonly #setups = new Map<string, CommitSetup>();
  /** Whose failure was seen: passing after that is chance, and no proof. */
  readonly #failed = new Set<string>();
  /** Runs that were started ahead, each until it is asked for. */
  readonly #ahead = new Map<string, Promise<Proven | Failed>>();
  readonly #end = new AbortController();

  private constructor(options: ProverOptions, sandbox: Sandbox, missing: string | undefined) {
    this.walls = { sandbox: sandbox.kind, ...(missing === undefined ? {} : { missing }) };
    this.#options = options;
    this.#sandbox = sandbox;
    this.#reuse = options.reuse ?? reuseInMemory();
    const { commonFolder, proofsMax: placesMax = 1, onProgress } = options;
    this.#places = new ProofPlaces({ commonFolder, placesMax, ...(onProgress && { onProgress }) });
  }

  /** Throws a `SandboxFault` where there has to be a sandbox and is none. */
  static async open(options: ProverOptions): Promise<Prover> {
    const chosen = await chooseSandbox(options.sandbox ?? "auto");
    if ("error" in chosen) throw new SandboxFault(chosen.error);
    return new Prover(options, chosen.sandbox, chosen.missing);
  }

  /** Starts a run beside others. The next call of `run` with the same arguments gets its outcome. */
  startAhead(commit: string, command: string, change?: ChangeFacts): void {
    const key = JSON.stringify([commit, command, change]);
    if (this.#ahead.has(key)) return;
    const run = this.#run(commit, command, change);
    run.catch(() => {}); // the caller of `run` gets the fault; without one, nothing depends on it
    this.#ahead.set(key, run);
  }

  async run(commit: string, command: string, change?: ChangeFacts): Promise<Proven | Failed> {
    const key = JSON.stringify([commit, command, change]);
    const ahead = this.#ahead.get(key);
    this.#ahead.delete(key);
    return ahead ?? this.#run(commit, command, change);
  }

  async #run(commit: string, command: string, change?: ChangeFacts): Promise<Proven | Failed> {
    // A shell succeeds at nothing.
    if (command.trim() === "") return { error: "there is no command to run" };
    const setup = await this.#setupOf(commit);
    if (setup === undefined) return noCommit(commit);
    const included = readIncluded(this.#options.root, this.#options.include);
    if ("error" in included) return included;
    const { tree } = setup;
    const inputs = {
      ...{ tree, command, setupKey: setup.key, env: this.#passed() },
      included: includedMarks(included),
    };
    const { plain, told } = reuseKeys(inputs, change && [change.base, ...change.changed]);
    const seen = await this.#reuse.find(plain);
    const earlier = seen !== undefined && seen.exit !== 0 ? seen : undefined;
    const kept = told === undefined ? seen : await this.#reuse.find(told);
    if (kept?.exit === 0 && earlier === undefined) {
      const { exit, seconds, digest, tail } = kept;
      return { tree, run: { exit, seconds, digest, tail }, reused: true, inventory: keptInventory(kept) };
    }
    const checked = await this.#places.with(tree, async (place) => {
      const failed = await this.#prepare(place, setup, included);
      return failed ?? this.#check(place, { command, setup, change });
    });
    if ("error" in checked) return checked;
    const { run, inventory, isTrees } = checked;
    if (run.exit !== 0) {
      this.#failed.add(plain);
      if (isTrees) await this.#reuse.keep([{ key: plain, command, tree, ...run }]);
      return { tree, run, reused: false, inventory };
    }
    if (earlier !== undefined)
      return { tree, run: { ...run, earlier: readable(earlier) }, reused: false, inventory };
    // What it was told of came onto this tree with it: as the next base, the tree is as proven as that makes it.
    const keys = told === undefined ? [plain] : [plain, told];
    const packed = keepInventory(inventory);
    if (!this.#failed.has(plain) && packed !== undefined)
      await this.#reuse.keep(keys.map((key) => ({ key, command, tree, ...run, exit: 0, ...packed })));
    return { tree, run, reused: false, inventory };
  }

  /** Makes `folder` what a check of the commit would run in; one may have run there already. No other run may be under way. */
  async prepare(commit: string): Promise<{ readonly tree: string } | Failed> {
    const setup = await this.#setupOf(commit);
    if (setup === undefined) return noCommit(commit);
    const { first } = this.#places;
    if (first.prepared === setup.tree) return { tree: setup.tree };
    const included = readIncluded(this.#options.root, this.#options.include);
    if ("error" in included) return included;
    return (await this.#prepare(first, setup, included)) ?? { tree: setup.tree };
  }

  /** What is installed for a commit, and why. */
  async setupOf(commit: string): Promise<SetupPlan | undefined> {
    return this.#setupOf(commit);
  }

  get folder(): string {
    return this.#places.first.checkout.folder;
  }

  /** Only where nothing was started ahead. */
  [Symbol.dispose](): void {
    this.#places[Symbol.dispose]();
  }

  /** Ends the runs that nobody has asked for. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await Promise.allSettled(this.#ahead.values());
    this[Symbol.dispose]();
  }

  /** A commit never changes, and asking takes git some time; a name may move on. */
  async #setupOf(commit: string): Promise<CommitSetup | undefined> {
    const known = this.#setups.get(commit);
    if (known !== undefined) return known;
    const setup = await readSetup(this.#options.root, commit, this.#options);
    if (setup !== undefined) this.#setups.set(setup.commit, setup);
    return setup;
  }

  async #prepare(place: ProofPlace, setup: CommitSetup, included: Included): Promise<Failed | undefined> {
    const { commit, tree, commands } = setup;
    const { checkout } = place;
    place.prepared = undefined;
    await checkout.show(commit);
    const { own, shared } = resultKeys(setup, included);
    const kept = checkout.setupKey();
    if (kept === undefined || (kept !== own && kept !== shared)) {
      await checkout.showBare(commit);
      await copyIncluded(included, checkout.folder);
      if (commands.length === 0) this.#options.onProgress?.(`nothing is installed: ${setup.why}`);
      for (const command of commands) {
        const failed = await this.#setUp(place, command, setup);
        if (failed !== undefined) return failed;
      }
      // What it left elsewhere would be there for the first check alone, and be of another tree for the next ones.
      if (commands.length > 0 && !(await checkout.show(commit))) return unclean;
      checkout.keepSetup(shared !== undefined && ranNoScript(checkout.folder) ? shared : own);
    }
    await copyIncluded(included, checkout.folder);
    place.prepared = tree;
    return undefined;
  }

  async #setUp(
    place: ProofPlace,
    command: readonly string[],
    setup: CommitSetup,
  ): Promise<Failed | undefined> {
    const { runsTree, why } = setup;
    const what = `setting up: ${command.join(" ")}`;
    this.#options.onProgress?.(`${what} (${why})`);
    using slow = this.#tellSlow(what);
    const network = networkAccess();
    const { exit, tail } = await this.#runWalled(place, {
      ...{ command, purpose: "set-up", env: { ...network.env, ...this.#environment(place, setup) } },
      ...{ readOnly: network.files, msMax: setupMsMax, onOutput: (chunk: Buffer) => slow.heard(chunk) },
      setup: { programs: command.slice(0, 1), runsTree },
    });
    if (exit === 0) return undefined;
    const { commonFolder } = this.#options;
    return { error: await setUpFault(command, tail, { commonFolder, passed: Object.keys(network.env) }) };
  }

  async #check(
    place: ProofPlace,
    {
      command,
      setup,
      change,
    }: { readonly command: string; readonly setup: CommitSetup; readonly change: ChangeFacts | undefined },
  ): Promise<Checked | Failed> {
    const output = new WholeOutput();
    const msMax = this.#options.checkMsMax ?? checkMsMax;
    using slow = this.#tellSlow(`running: ${command}`);
    const ran = await this.#runWalled(place, {
      command: ["sh", "-c", command],
      purpose: "check",
      setup: { programs: setup.commands.flatMap(([program]) => program ?? []), runsTree: setup.runsTree },
      env: {
        ...this.#environment(place, setup),
        ...(change === undefined ? {} : { LOCKSTEP_BASE: change.base }),
      },
      msMax,
      tailBytesMax: maskedBytesMax,
      onOutput: (chunk) => {
        output.add(chunk);
        slow.heard(chunk);
      },
      ...(change === undefined ? {} : { changed: change.changed }),
    });
    if (ran.aborted) return { error: `\`${command}\` was ended: its outcome was no longer needed` };
    const { exit, seconds, digest, tail, isFull, inventory } = ran;
    if (exit !== 0 || isFull || inventory?.elsewhere !== undefined) {
      const told = await tellFailure(this.#options.commonFolder, {
        ...ran,
        output,
        folder: place.checkout.folder,
        msMax,
      });
      const run = { exit: exit === 0 ? null : exit, seconds, digest, ...told };
      return { run, isTrees: exit !== 0 && !isMachines(ran), inventory: ran.inventory };
    }
    // Masked before it is cut: the rest of a secret whose beginning is gone looks like nothing.
    const run = { exit, seconds, digest, tail: (await maskSecrets(tail)).slice(-tailLengthMax) };
    return { run, isTrees: true, inventory: ran.inventory };
  }

  #runWalled({ checkout: { folder, temporary } }: ProofPlace, run: WalledRun) {
    const { root, commonFolder, home = [] } = this.#options;
    const places = { root, commonFolder, checkout: folder, temporary, home };
    return runWalled(this.#sandbox, places, { ...run, abort: this.#end.signal });
  }

  #tellSlow(what: string): SlowTeller {
    const { slowMs: firstMs, onProgress } = this.#options;
    return new SlowTeller({ what, firstMs, tell: (line) => onProgress?.(line) });
  }

  /** What the caller's environment has of the variables that are passed on. */
  #passed(): Record<string, string> {
    const found = this.#options.envPass.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, name === "PATH" ? realSearchPath(value) : value] as const];
    });
    return Object.fromEntries(found);
  }

  /** Git's own folder is read-only inside; a virtual environment that a set-up made is the Python of what follows. */
  #environment({ checkout }: ProofPlace, { tracksVenv }: CommitSetup): Record<string, string> {
    const passed = this.#passed();
    const venv = join(checkout.folder, ".venv");
    const python =
      !tracksVenv && existsSync(join(venv, "bin"))
        ? { VIRTUAL_ENV: venv, PATH: [join(venv, "bin"), passed.PATH].filter(Boolean).join(":") }
        : {};
    return { ...passed, ...python, CI: "true", GIT_OPTIONAL_LOCKS: "0" };
  }
}

/** A failure that says nothing about the tree: a program is missing on this machine, or the check never ran. */
function isMachines({ exit, signal, timedOut }: WalledResult): boolean {
  return exit === 126 || exit === 127 || (exit === null && signal === null && !timedOut);
}

const unclean: Failed = {
  error:
    "the set-up left folders that cannot be cleaned up: let it keep them open to their owner, and shallow",
};

function noCommit(commit: string): Failed {
  return { error: `commit \`${commit}\` does not exist in this repository` };
}
