import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CheckRun } from "../core/proof/check-record.ts";
import { detectSetup, type Setup, type TopFolder } from "../core/proof/detect-commands.ts";
import { maskSecrets } from "../core/secrets/mask-secrets.ts";
import { openProofCheckout, type ProofCheckout } from "../workspace/git/proof-checkout.ts";
import { readRef } from "../workspace/git/refs.ts";
import { runProcess } from "../workspace/run-process.ts";

export interface ProverOptions {
  readonly root: string;
  readonly commonFolder: string;
  /** Null: told by lock files. */
  readonly setup: readonly (readonly string[])[] | null;
  /** Untracked files that checks need. */
  readonly include: readonly string[];
  readonly envPass: readonly string[];
  readonly checkMsMax?: number;
  onProgress?(line: string): void;
}

export interface Proven {
  readonly tree: string;
  readonly run: CheckRun;
}

/** What a check is told about the change it looks at. */
export interface ChangeFacts {
  readonly base: string;
  readonly changed: readonly string[];
}

const maskedBytesMax = 256 * 1024;
const tailLengthMax = 4096;
const checkMsMax = 15 * 60_000;
const setupMsMax = 15 * 60_000;

/**
 * Runs commands on the exact trees of commits, in a checkout that no agent works in. A pass is not run twice
 * for the same tree, command and set-up.
 */
export class Prover implements Disposable {
  readonly #options: ProverOptions;
  readonly #checkout: ProofCheckout;
  readonly #passes = new Map<string, Proven>();

  private constructor(options: ProverOptions, checkout: ProofCheckout) {
    this.#options = options;
    this.#checkout = checkout;
  }

  static async open(options: ProverOptions): Promise<Prover> {
    return new Prover(options, await openProofCheckout(options.commonFolder));
  }

  async run(
    commit: string,
    command: string,
    change?: ChangeFacts,
  ): Promise<Proven | { readonly error: string }> {
    if ((await readRef(this.#options.root, commit)) === undefined)
      return { error: `commit \`${commit}\` does not exist in this repository` };
    const tree = await this.#checkout.show(commit);
    const setup = this.#options.setup === null ? detectSetup(this.top) : configured(this.#options.setup);
    const setupKey = this.#keyOf(setup);
    const key = `${tree}\n${command}\n${setupKey}`;
    const passed = this.#passes.get(key);
    if (passed !== undefined) return passed;
    const failed = await this.#setUp(setup, setupKey);
    if (failed !== undefined) return failed;
    const run = await this.#run(command, change);
    if (run.exit === 0) this.#passes.set(key, { tree, run });
    return { tree, run };
  }

  /** The top folder of what was shown last. */
  get top(): TopFolder {
    const at = (name: string) => join(this.#checkout.folder, name);
    return {
      has: (name) => existsSync(at(name)),
      text: (name) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : undefined),
    };
  }

  async show(commit: string): Promise<string> {
    return this.#checkout.show(commit);
  }

  get folder(): string {
    return this.#checkout.folder;
  }

  [Symbol.dispose](): void {
    this.#checkout[Symbol.dispose]();
  }

  #keyOf({ commands, inputs }: Setup): string {
    const hash = createHash("sha256").update(JSON.stringify([commands, process.version, process.platform]));
    for (const name of inputs) hash.update(`\0${name}\0${this.top.text(name) ?? ""}`);
    return hash.digest("hex");
  }

  async #setUp(setup: Setup, setupKey: string): Promise<{ readonly error: string } | undefined> {
    this.#include();
    if (this.#checkout.setupKey === setupKey) return undefined;
    await this.#checkout.scrub();
    this.#include();
    for (const command of setup.commands) {
      this.#options.onProgress?.(`setting up: ${command.join(" ")}`);
      const { exit, tail } = await runProcess({
        command,
        cwd: this.#checkout.folder,
        env: this.#environment(),
        msMax: setupMsMax,
      });
      if (exit === 0) continue;
      const [last = "no output"] = (await maskSecrets(tail)).trim().split("\n").slice(-1);
      return { error: `the set-up \`${command.join(" ")}\` failed: ${last}` };
    }
    this.#checkout.setupKey = setupKey;
    return undefined;
  }

  #include(): void {
    for (const path of this.#options.include) {
      const from = join(this.#options.root, path);
      const to = join(this.#checkout.folder, path);
      if (!existsSync(from) || existsSync(to)) continue;
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(from, to);
    }
  }

  async #run(command: string, change: ChangeFacts | undefined): Promise<CheckRun> {
    const list = join(tmpdir(), `lockstep-changed-${process.pid}`);
    const told: Record<string, string> = {};
    if (change !== undefined) {
      writeFileSync(list, change.changed.map((path) => `${path}\n`).join(""), { mode: 0o600 });
      Object.assign(told, { LOCKSTEP_BASE: change.base, LOCKSTEP_CHANGED: list });
    }
    try {
      const { exit, seconds, digest, tail } = await runProcess({
        command: ["sh", "-c", command],
        cwd: this.#checkout.folder,
        env: { ...this.#environment(), ...told },
        msMax: this.#options.checkMsMax ?? checkMsMax,
        tailBytesMax: maskedBytesMax,
      });
      // Masked before it is cut: the rest of a secret whose beginning is gone looks like nothing.
      return { exit, seconds, digest, tail: (await maskSecrets(tail)).slice(-tailLengthMax) };
    } finally {
      rmSync(list, { force: true });
    }
  }

  #environment(): Record<string, string> {
    const passed = [...this.#options.envPass, "TMPDIR"].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    return { ...Object.fromEntries(passed), CI: "true" };
  }
}

function configured(commands: readonly (readonly string[])[]): Setup {
  return { commands, inputs: ["package-lock.json", "pnpm-lock.yaml", "yarn.lock", "uv.lock", "poetry.lock"] };
}
