import { fileBehind } from "./descriptors.ts";
import { folderFrom } from "./resolve-path.ts";
import { knownParts, type Text } from "./text.ts";
import type {
  Action,
  Because,
  HookRun,
  IndexUseFrom,
  Mention,
  Opaque,
  Refusal,
  RefusalKind,
  ShellAnalysis,
  ShellWrite,
} from "./types.ts";
import type { World } from "./world.ts";

/** Collects the findings of an analysis, without duplicates. */
export class Report {
  readonly #seen = new Set<string>();
  readonly #programs = new Set<string>();
  readonly #writes: ShellWrite[] = [];
  readonly #refusals: Refusal[] = [];
  readonly #opaque: Opaque[] = [];
  readonly #hookRuns: HookRun[] = [];
  readonly #indexUses: IndexUseFrom[] = [];
  readonly #mentions: Mention[] = [];
  #at: number | undefined;

  /** The cause of the findings reported next; undefined if causes are not requested. */
  because: Because | undefined;

  program(name: string): void {
    this.#programs.add(name);
  }

  write(
    by: string,
    target: Text,
    world: World,
    how: { action: Action; tree: boolean; sourcesOnly?: boolean },
  ): void {
    const file = fileBehind(target, world.descriptors);
    if (file === undefined) return;
    const write: ShellWrite = { target: file, from: [world.cwd], sourcesOnly: false, ...how, by };
    this.#once(["w", file, world.cwd, how.action, how.tree], () => this.#writes.push(this.#explained(write)));
  }

  refuse(kind: RefusalKind, why: string): void {
    this.#once(["r", kind, why], () => this.#refusals.push(this.#explained({ kind, why })));
  }

  /** `at` is the position of the current command's name in the source; undefined for the shell itself. */
  within<Found>(at: number | undefined, run: () => Found): Found {
    const outer = this.#at;
    this.#at = at;
    try {
      return run();
    } finally {
      this.#at = outer;
    }
  }

  opaque(by: string, why: string, options: Omit<Opaque, "by" | "why" | "at"> = {}): void {
    const at = this.#at === undefined ? {} : { at: this.#at };
    this.#once(["o", by, why, options.script, this.#at], () =>
      this.#opaque.push(this.#explained({ by, why, ...options, ...at })),
    );
  }

  hooks(hooks: readonly string[]): void {
    const at = this.#at === undefined ? {} : { at: this.#at };
    this.#once(["h", hooks, this.#at], () => this.#hookRuns.push({ hooks, ...at }));
  }

  index(use: IndexUseFrom): void {
    this.#once(["i", use], () => this.#indexUses.push(use));
  }

  mention(by: string, text: Text, world: World, operand: boolean): void {
    const plain = knownParts(text, " ");
    if (plain.trim() === "") return;
    const mention: Mention = { text: plain, operand, from: [world.cwd], by };
    this.#once(["m", plain, world.cwd, operand], () => this.#mentions.push(this.#explained(mention)));
  }

  /** True if the command may have put something other than a folder there. */
  writesTo(path: string): boolean {
    return this.#writes.some(
      ({ target, from: [cwd], action }) => action !== "folder" && folderFrom(target, cwd) === path,
    );
  }

  get makesLinks(): boolean {
    return this.#writes.some(({ action }) => action === "link");
  }

  /** True once the command removes something: a folder that exists now may be missing when it is needed. */
  get removes(): boolean {
    return this.#writes.some(({ action }) => action === "delete" || action === "move");
  }

  /** The same, also true if a program with unknown effects may have removed something. */
  get mayRemove(): boolean {
    return this.removes || this.#opaque.length > 0;
  }

  finish(): ShellAnalysis {
    return {
      programs: [...this.#programs],
      writes: this.#writes,
      refusals: this.#refusals,
      opaque: this.#opaque,
      hookRuns: this.#hookRuns,
      indexUses: this.#indexUses,
      mentions: this.#mentions,
    };
  }

  #explained<Found>(found: Found): Found {
    return this.because === undefined ? found : { ...found, because: this.because };
  }

  #once(key: readonly unknown[], add: () => void): void {
    const text = JSON.stringify(key);
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    add();
  }
}
