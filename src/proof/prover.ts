import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../contract/config.ts";
import type { CheckRun } from "../core/proof/check-record.ts";
import { countTests, type Inventory } from "../core/proof/inventory.ts";
import type { ChangeFacts, ProofResult } from "../core/proof/proof-request.ts";
import { saidNoTests } from "../core/proof/said-no-tests.ts";
import type { SetupPlan } from "../core/proof/setup-plan.ts";
import { maskSecrets } from "../core/secrets/mask-secrets.ts";
import { isInstalled } from "../workspace/checkouts/copy-dependencies.ts";
import {
  copyIncluded,
  type Included,
  includedMarks,
  readIncluded,
} from "../workspace/checkouts/included-files.ts";
import { KnownSecrets } from "../workspace/checkouts/known-secrets.ts";
import { storeSetup, takeSetup } from "../workspace/checkouts/setup-store.ts";
import { networkAccess } from "../workspace/process/network-variables.ts";
import { chooseSandbox } from "../workspace/sandbox/choose-sandbox.ts";
import { realSearchPath } from "../workspace/sandbox/program-folders.ts";
import { type Sandbox, SandboxFault } from "../workspace/sandbox/sandbox.ts";
import { type ProofPlace, ProofPlaces } from "./proof-places.ts";
import type { ProofSharing, SharedRun } from "./proof-sharing.ts";
import { type CommitSetup, markOf, readSetup } from "./read-setup.ts";
import { keepInventory, keptInventory, type Reuse, readable, reuseInMemory, reuseKeys } from "./reuse.ts";
import { runSandboxed, type SandboxedResult, type SandboxedRun } from "./sandboxed-run.ts";
import { ranNoScript, resultKeys, setUpFault } from "./set-up-result.ts";
import { tellFailure } from "./tell-failure.ts";
import { SlowTeller } from "./tell-slow.ts";
import { programOf, toolVersions } from "./tool-versions.ts";
import { WholeOutput } from "./whole-output.ts";

export interface ProverOptions {
  readonly root: string;
  readonly commonFolder: string;
  /** Null: detected from the tree's files. */
  readonly setup: readonly (readonly string[])[] | null;
  /** Untracked files and folders that checks need. */
  readonly include: readonly string[];
  readonly envPass: readonly string[];
  /** Paths below the home that checks may write. */
  readonly home?: readonly string[];
  /** Default: `auto`. */
  readonly sandbox?: Config["sandbox"];
  /** Stores results; by default in memory. */
  readonly reuse?: Reuse;
  readonly checkMsMax?: number;
  /** How many checks may run in parallel. More than one takes the machine's network from all of them. Default: 1. */
  readonly proofsMax?: number;
  /** The name of this machine, if several prove together. It is stored with every result. */
  readonly machine?: string;
  /** Whether the evidence counts on all machines that share the ledger: its keys contain versions instead of paths. */
  readonly isPortable?: boolean;
  /** Lets other machines do runs. Needs portable evidence. */
  readonly share?: ProofSharing;
  /** After this time a message says that a command is still running. */
  readonly slowMs?: number;
  onProgress?(line: string): void;
}

export interface Proven {
  readonly tree: string;
  readonly run: CheckRun;
  /** True if an earlier pass was reused. */
  readonly reused: boolean;
  /** The tests that the check's runners reported; null if none did. */
  readonly inventory: Inventory | null;
}

/** The isolation of checks. `missing`: why there is no sandbox although one is configured. */
export interface ProverIsolation {
  readonly sandbox: Sandbox["kind"];
  readonly missing?: string;
}

interface WantedRun {
  readonly commit: string;
  readonly command: string;
  readonly change?: ChangeFacts | undefined;
  readonly confirms?: CheckRun | undefined;
}

interface Failed {
  readonly error: string;
}

interface Checked {
  readonly run: CheckRun;
  /** Whether the outcome comes from the tree, and not from this machine. */
  readonly isTrees: boolean;
  readonly inventory: Inventory | null;
}

const maskedBytesMax = 256 * 1024;
const tailLengthMax = 4096;
const checkMsMax = 15 * 60_000;
const setupMsMax = 15 * 60_000;

/**
 * Runs commands on the exact trees of commits, in checkouts of its own and in a sandbox, because agents wrote the code.
 * A pass for the same tree, command and setup is reused.
 */
export class Prover implements Disposable, AsyncDisposable {
  readonly isolation: ProverIsolation;
  /**
   * False if checks may run in parallel: each has a network of its own then, with the loopback interface only, because
   * one could otherwise answer for another on the same port. All checks of a prover run in the same way.
   */
  readonly hasNetwork: boolean;
  readonly #options: ProverOptions;
  readonly #places: ProofPlaces;
  readonly #sandbox: Sandbox;
  readonly #reuse: Reuse;
  readonly #setups = new Map<string, CommitSetup>();
  /** Keys of runs that failed: a pass after a failure is flaky, so it is not stored as proof. */
  readonly #failed = new Set<string>();
  /** Runs that were started ahead and whose results were not requested yet. */
  readonly #ahead = new Map<
    string,
    { readonly run: Promise<Proven | Failed>; readonly end: AbortController }
  >();
  /** Runs wait for a place in the order in which they were started ahead. */
  #lastBegun: Promise<void> = Promise.resolve();
  #installing: Promise<unknown> = Promise.resolve();
  readonly #end = new AbortController();

  private constructor(
    options: ProverOptions,
    { sandbox, missing, hasNetwork }: { sandbox: Sandbox; missing: string | undefined; hasNetwork: boolean },
  ) {
    this.hasNetwork = hasNetwork;
    this.isolation = { sandbox: sandbox.kind, ...(missing === undefined ? {} : { missing }) };
    this.#options = options;
    this.#sandbox = sandbox;
    this.#reuse = options.reuse ?? reuseInMemory();
    const { commonFolder, proofsMax: placesMax = 1, onProgress } = options;
    this.#places = new ProofPlaces({ commonFolder, placesMax, ...(onProgress && { onProgress }) });
  }

  /** Throws a `SandboxFault` if a sandbox is required but not available. */
  static async open(options: ProverOptions): Promise<Prover> {
    const chosen = await chooseSandbox(options.sandbox ?? "auto");
    if ("error" in chosen) throw new SandboxFault(chosen.error);
    const { sandbox, missing } = chosen;
    const hasNetwork = (options.proofsMax ?? 1) <= 1 || !(await sandbox.hasOwnNetworks());
    return new Prover(options, { sandbox, missing, hasNetwork });
  }

  /**
   * Starts a run in parallel with others. The next call of `run` with the same arguments gets its result. Does nothing
   * if checks cannot be isolated from each other and no other machine can do them.
   */
  startAhead(commit: string, command: string, change?: ChangeFacts): void {
    const key = JSON.stringify([commit, command, change]);
    if (!this.runsAhead || this.#ahead.has(key)) return;
    const end = new AbortController();
    const { promise: begun, resolve: begins } = Promise.withResolvers<void>();
    const run = this.#lastBegun.then(() => this.#run({ commit, command, change }, end.signal, begins));
    this.#lastBegun = begun;
    run.catch(() => {}).finally(begins); // the caller of `run` gets the error
    this.#ahead.set(key, { run, end });
  }

  /** Whether runs can be started ahead, in parallel or on other machines. */
  get runsAhead(): boolean {
    return !this.hasNetwork || this.#options.share !== undefined;
  }

  /** Ends the runs that were started ahead and whose results were not requested. */
  dropAhead(): void {
    for (const { end } of this.#ahead.values()) end.abort();
    this.#ahead.clear();
  }

  /** `confirms`: the run that failed before. Another machine repeats it, if there is one. */
  async run(
    commit: string,
    command: string,
    change?: ChangeFacts,
    confirms?: CheckRun,
  ): Promise<Proven | Failed> {
    const key = JSON.stringify([commit, command, change]);
    const ahead = this.#ahead.get(key);
    this.#ahead.delete(key);
    const proven = await (ahead?.run ?? this.#run({ commit, command, change, confirms }, this.#end.signal));
    if ("error" in proven) return proven;
    const { inventory, run } = proven;
    const tests = inventory === null ? saidNoTests(run.tail) : countTests(inventory);
    return tests === undefined ? proven : { ...proven, run: { ...run, tests } };
  }

  /** The key of a run's evidence; undefined if the run cannot be done here. */
  async keyOf(commit: string, command: string, change?: ChangeFacts): Promise<string | undefined> {
    const inputs = await this.#inputsOf(commit, command, change);
    return "error" in inputs ? undefined : (inputs.told ?? inputs.plain);
  }

  async #inputsOf(commit: string, command: string, change: ChangeFacts | undefined) {
    // A shell exits with 0 for an empty command.
    if (command.trim() === "") return { error: "the command is empty" };
    const setup = await this.#setupOf(commit);
    if (setup === undefined) return noCommit(commit);
    const included = readIncluded(this.#options.root, this.#options.include);
    if ("error" in included) return included;
    const env = this.#passed();
    const inputs = {
      ...{ tree: setup.tree, command, env, network: this.hasNetwork, included: includedMarks(included) },
      isolation: [this.isolation.sandbox, ...(this.#options.home ?? [])],
      ...(this.#options.isPortable === true
        ? {
            setupKey: setup.keyAnywhere,
            tools: await toolVersions([...setup.tools, ...programOf(command), "node"], env.PATH),
          }
        : { setupKey: setup.key, programs: programOf(command).map(markOf) }),
    };
    return { setup, included, ...reuseKeys(inputs, change && [change.base, ...change.changed]) };
  }

  async #run(
    { commit, command, change, confirms }: WantedRun,
    signal: AbortSignal,
    begins: () => void = () => {},
  ): Promise<Proven | Failed> {
    const inputs = await this.#inputsOf(commit, command, change);
    if ("error" in inputs) return inputs;
    const { setup, included, plain, told } = inputs;
    const { tree } = setup;
    const seen = await this.#reuse.find(plain);
    const earlier = seen !== undefined && seen.exit !== 0 ? seen : undefined;
    const kept = told === undefined ? seen : await this.#reuse.find(told);
    if (kept?.exit === 0 && earlier === undefined) {
      const { exit, seconds, digest, tail, machine } = kept;
      this.#places.took(seconds * 1000);
      const run = { exit, seconds, digest, tail, ...(machine === undefined ? {} : { machine }) };
      return { tree, run, reused: true, inventory: keptInventory(kept) };
    }
    await using shared = await this.#options.share?.offer({
      ...{ key: told ?? plain, commit: setup.commit, command, change: change ?? null },
      not: confirms?.machine ?? null,
    });
    begins();
    if (confirms !== undefined) await shared?.letOthers();
    const ended = AbortSignal.any([signal, this.#end.signal]);
    const checked = await this.#doRun(shared, { tree, ended }, async (place) => {
      if (ended.aborted) return notNeeded(command);
      const failed = await this.#prepare(place, setup, included);
      return failed ?? this.#check(place, { command, setup, change, signal });
    });
    if (checked === "ended") return notNeeded(command);
    if ("error" in checked) return checked;
    const { run, inventory, isTrees } = checked;
    this.#places.took(run.seconds * 1000);
    if (run.exit !== 0) {
      this.#failed.add(plain);
      if (isTrees) await this.#reuse.keep([{ key: plain, command, tree, ...run }]);
      return { tree, run, reused: false, inventory };
    }
    if (earlier !== undefined)
      return { tree, run: { ...run, earlier: readable(earlier) }, reused: false, inventory };
    // A pass recorded for this change on this base also counts for the bare tree, because after the merge that tree is
    // the next base.
    const keys = told === undefined ? [plain] : [plain, told];
    const packed = keepInventory(inventory);
    if (isTrees && !this.#failed.has(plain) && packed !== undefined)
      await this.#reuse.keep(keys.map((key) => ({ key, command, tree, ...run, exit: 0, ...packed })));
    return { tree, run, reused: false, inventory };
  }

  /** Does a run in one of the checkouts, or waits for the machine that does it. */
  async #doRun(
    shared: SharedRun | undefined,
    { tree, ended }: { readonly tree: string; readonly ended: AbortSignal },
    here: (place: ProofPlace) => Promise<Checked | Failed>,
  ): Promise<Checked | Failed | "ended"> {
    if (shared === undefined) return this.#places.with(tree, here);
    const end = new Promise<"ended">((resolve) => {
      if (ended.aborted) resolve("ended");
      ended.addEventListener("abort", () => resolve("ended"), { once: true });
    });
    // A place that becomes free later has nothing to do for this run any more.
    let isDone = false;
    try {
      for (;;) {
        const mine = this.#places.with(tree, async (place) =>
          !isDone && (await shared.take()) ? here(place) : "taken",
        );
        const done = shared.until((state) => typeof state === "object");
        const first = await Promise.race([mine, done, end]);
        const free = () => shared.until((state) => state !== "taken");
        const last = first === "taken" ? await Promise.race([free(), end]) : first;
        if (last === "ended") return last;
        if (typeof last === "object") return "machine" in last ? checkedBy(last) : last;
      }
    } finally {
      isDone = true;
    }
  }

  /** Calls `use` with a folder that is set up as for a check of the commit. No check runs there at the same time. */
  async inTree<Result>(commit: string, use: (folder: string) => Promise<Result>): Promise<Result | Failed> {
    const setup = await this.#setupOf(commit);
    if (setup === undefined) return noCommit(commit);
    const included = readIncluded(this.#options.root, this.#options.include);
    if ("error" in included) return included;
    return this.#places.with(setup.tree, async (place) => {
      const failed = place.prepared === setup.tree ? undefined : await this.#prepare(place, setup, included);
      return failed ?? use(place.checkout.folder);
    });
  }

  /** The setup commands of a commit, and the reason for them. */
  async setupOf(commit: string): Promise<SetupPlan | undefined> {
    return this.#setupOf(commit);
  }

  /** The first of its checkouts. */
  get folder(): string {
    return this.#places.first.checkout.folder;
  }

  /** Only if no run was started ahead. */
  [Symbol.dispose](): void {
    this.#places[Symbol.dispose]();
  }

  /** Ends all runs. Their results are errors. */
  stop(): void {
    this.#end.abort();
  }

  /** Ends the runs whose results were not requested. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await Promise.allSettled([...this.#ahead.values()].map(({ run }) => run));
    this[Symbol.dispose]();
  }

  /** Cached by commit id, because calling git takes time. A name such as a branch is not cached: it can move. */
  async #setupOf(commit: string): Promise<CommitSetup | undefined> {
    const known = this.#setups.get(commit);
    if (known !== undefined) return known;
    const setup = await readSetup(this.#options.root, commit, this.#options);
    if (setup !== undefined) this.#setups.set(setup.commit, setup);
    return setup;
  }

  async #prepare(place: ProofPlace, setup: CommitSetup, included: Included): Promise<Failed | undefined> {
    const { commit, tree } = setup;
    const { checkout } = place;
    place.prepared = undefined;
    await checkout.show(commit);
    const { own, shared } = resultKeys(setup, included);
    const kept = checkout.setupKey();
    if (kept === undefined || (kept !== own && kept !== shared)) {
      // One at a time: the next one may find in the store what it needs.
      const installed = this.#installing.then(() => this.#install(place, setup, included));
      this.#installing = installed.catch(() => {}); // its own caller gets the error
      const failed = await installed;
      if (failed !== undefined) return failed;
    }
    await copyIncluded(included, checkout.folder);
    place.prepared = tree;
    return undefined;
  }

  async #install(place: ProofPlace, setup: CommitSetup, included: Included): Promise<Failed | undefined> {
    const { commit, commands, why, runsTree } = setup;
    const { checkout } = place;
    const { commonFolder, onProgress } = this.#options;
    const { own, shared } = resultKeys(setup, included);
    const showBare = async () => {
      await checkout.showBare(commit);
      await copyIncluded(included, checkout.folder);
    };
    await showBare();
    if (commands.length === 0) onProgress?.(`nothing is installed: ${why}`);
    const stored =
      commands.length === 0 ? "missing" : await takeSetup(commonFolder, shared ?? own, checkout.folder);
    const isStored = stored === "taken";
    if (isStored) onProgress?.(`copied what an earlier setup installed (${why})`);
    if (stored === "evicted") await showBare();
    if (!isStored)
      for (const command of commands) {
        const failed = await this.#setUp(place, command, setup);
        if (failed !== undefined) return failed;
      }
    // Removes what the setup left outside of the kept folders: otherwise only the first check would have it.
    if (commands.length > 0 && !(await checkout.show(commit))) return unclean;
    const isShared = isStored || (shared !== undefined && ranNoScript(checkout.folder));
    const key = isShared ? (shared ?? own) : own;
    checkout.keepSetup(key);
    if (!isStored && commands.length > 0 && (isShared || !runsTree)) await this.#store(place, key);
    return undefined;
  }

  /** Without it, the next checkout installs the same again. */
  async #store({ checkout }: ProofPlace, key: string): Promise<void> {
    const folders = checkout.setupFiles();
    if (!folders.every(isInstalled)) return;
    try {
      await storeSetup(this.#options.commonFolder, { key, checkout: checkout.folder, folders });
    } catch (error) {
      this.#options.onProgress?.(`what was installed could not be stored: ${(error as Error).message}`);
    }
  }

  async #setUp(
    place: ProofPlace,
    command: readonly string[],
    setup: CommitSetup,
  ): Promise<Failed | undefined> {
    const { runsTree, why } = setup;
    const what = `setting up: ${command.join(" ")}`;
    this.#options.onProgress?.(`${what} (${why})`);
    using slow = this.#tellSlow(what, "if it hangs, name another command in `workspace.setup`");
    const network = networkAccess();
    const { exit, tail } = await this.#runSandboxed(place, {
      ...{ command, purpose: "setup", env: { ...network.env, ...this.#environment(place, setup) } },
      ...{ readOnly: network.files, msMax: setupMsMax, onOutput: (chunk: Buffer) => slow.heard(chunk) },
      setup: { programs: command.slice(0, 1), runsTree },
    });
    if (exit === 0) return undefined;
    const { commonFolder } = this.#options;
    const about = { commonFolder, passed: Object.keys(network.env), secrets: this.#secrets() };
    return { error: await setUpFault(command, tail, about) };
  }

  async #check(
    place: ProofPlace,
    {
      command,
      setup,
      change,
      signal,
    }: Pick<WantedRun, "command" | "change"> & { readonly setup: CommitSetup; readonly signal: AbortSignal },
  ): Promise<Checked | Failed> {
    const output = new WholeOutput();
    const msMax = this.#options.checkMsMax ?? checkMsMax;
    using slow = this.#tellSlow(`running: ${command}`);
    const ran = await this.#runSandboxed(place, {
      command: ["sh", "-c", command],
      purpose: "check",
      network: this.hasNetwork,
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
      abort: signal,
    });
    if (ran.aborted) return notNeeded(command);
    const { exit, seconds, digest, tail, isFull, inventory } = ran;
    const { isWhole } = place.checkout;
    if (exit !== 0 || isFull || inventory?.elsewhere !== undefined) {
      const kept = await tellFailure(this.#options.commonFolder, {
        ...ran,
        output,
        folder: place.checkout.folder,
        msMax,
        mask: (text) => this.#secrets().mask(text),
      });
      const run = { exit: exit === 0 ? null : exit, seconds, digest, ...kept, ...this.#machine() };
      return { run, isTrees: exit !== 0 && !isMachines(ran) && isWhole, inventory: ran.inventory };
    }
    // Masked before it is cut, because a secret without its beginning would not be recognised.
    const shown = this.#secrets()
      .mask(await maskSecrets(tail))
      .slice(-tailLengthMax);
    const run = { exit, seconds, digest, tail: shown, ...this.#machine() };
    return { run, isTrees: isWhole, inventory: ran.inventory };
  }

  /** What the included files hold now. */
  #secrets(): KnownSecrets {
    const secrets = new KnownSecrets();
    secrets.addFrom(this.#options.root, this.#options.include);
    return secrets;
  }

  #machine(): Pick<CheckRun, "machine"> {
    const { machine } = this.#options;
    return machine === undefined ? {} : { machine };
  }

  #runSandboxed({ checkout: { folder, temporary } }: ProofPlace, run: SandboxedRun) {
    const { root, commonFolder, home = [] } = this.#options;
    const places = { root, commonFolder, checkout: folder, temporary, home };
    const end = this.#end.signal;
    const abort = run.abort === undefined ? end : AbortSignal.any([end, run.abort]);
    return runSandboxed(this.#sandbox, places, { ...run, abort });
  }

  #tellSlow(what: string, hint?: string): SlowTeller {
    const { slowMs: firstMs, onProgress } = this.#options;
    const more = hint === undefined ? {} : { hint };
    return new SlowTeller({ what, firstMs, ...more, tell: (line) => onProgress?.(line) });
  }

  /** The variables that are passed on from the caller's environment. */
  #passed(): Record<string, string> {
    const found = this.#options.envPass.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, name === "PATH" ? realSearchPath(value) : value] as const];
    });
    return Object.fromEntries(found);
  }

  /** Git takes no optional locks, as its folder is read-only. Commands use the Python of a `.venv` that a setup made. */
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

/** The result of another machine. Its output file is there. */
function checkedBy({ machine, run: { log: _log, ...run }, inventory }: ProofResult): Checked {
  const packed = inventory === null ? {} : { inventory };
  return { run: { ...run, machine }, isTrees: true, inventory: keptInventory({ ...run, ...packed }) };
}

/** Whether a failure comes from this machine: a program is missing, or the check did not start. */
function isMachines({ exit, signal, timedOut }: SandboxedResult): boolean {
  return exit === 126 || exit === 127 || (exit === null && signal === null && !timedOut);
}

const unclean: Failed = {
  error:
    "the setup left folders that cannot be removed: it must leave them writable for their owner and not too deeply nested",
};

function notNeeded(command: string): Failed {
  return { error: `\`${command}\` was ended because its result is no longer needed` };
}

function noCommit(commit: string): Failed {
  return { error: `commit \`${commit}\` does not exist in this repository` };
}
