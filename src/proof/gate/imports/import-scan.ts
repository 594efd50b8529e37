import { fileKind } from "../reading/file-kind.ts";
import { type ScriptParser, scriptParser } from "../reading/parse-script.ts";
import type { ChangedFile, Merge, SourceTree } from "../source-tree.ts";
import { governsImports } from "./import-rules.ts";
import {
  type InstalledPackages,
  ModuleResolver,
  type Resolution,
  sameResolution,
} from "./module-resolver.ts";
import { mayImport, quotedNames } from "./quoted-names.ts";
import { importsIn, type ScriptImport } from "./script-imports.ts";

/** One import of a script, and what it resolves to. */
export interface Link {
  readonly imported: ScriptImport;
  readonly to: Resolution;
}

/** Each is looked for in every script of the base. */
const missingNamesMax = 50;

/** Each round waits for git; what is deeper than that is read all at once. */
const roundsMax = 20;

/**
 * The imports of scripts before and after a merge. Each text is parsed at most once, and only where the names in it
 * do not tell enough.
 */
export class ImportScan {
  readonly #parser: ScriptParser;
  readonly #merge: Merge;
  readonly #changed: ReadonlyMap<string, ChangedFile>;
  readonly #after: ModuleResolver;
  readonly #before: ModuleResolver;
  /** With the same files and configuration, the same names lead to the same places. */
  readonly #layoutChanged: boolean;
  readonly #links = new Map<string, readonly Link[]>();
  readonly #linksBefore = new Map<string, readonly Link[]>();
  readonly #imports = new Map<string, readonly ScriptImport[]>();
  readonly #mayLeadTo = new Map<string, ReadonlySet<string>>();
  readonly #missing = new Map<string, boolean>();
  readonly #followed = new Set<string>();
  readonly unread: string[] = [];

  private constructor(merge: Merge, installed: InstalledPackages, parser: ScriptParser) {
    this.#merge = merge;
    this.#parser = parser;
    this.#changed = new Map(merge.changed.map((one) => [one.path, one]));
    this.#layoutChanged = merge.changed.some(
      ({ path, status }) => status !== "modified" || governsImports(path),
    );
    this.#after = new ModuleResolver(merge.result, installed);
    this.#before = this.#layoutChanged ? new ModuleResolver(merge.base, installed) : this.#after;
  }

  static async of(merge: Merge, installed: InstalledPackages): Promise<ImportScan> {
    return new ImportScan(merge, installed, await scriptParser());
  }

  /** What the script imports after the merge. */
  links(path: string): readonly Link[] {
    const known = this.#links.get(path);
    if (known !== undefined) return known;
    const links = this.#importsOf(path).map((imported) => ({
      imported,
      to: this.#after.resolve(imported.specifier, path),
    }));
    this.#links.set(path, links);
    return links;
  }

  /** What it imported before. */
  linksBefore(path: string): readonly Link[] {
    const changed = this.#changed.get(path);
    if (changed === undefined && !this.#layoutChanged) return this.links(path);
    const known = this.#linksBefore.get(path);
    if (known !== undefined) return known;
    const imports =
      changed === undefined ? this.#importsOf(path) : (this.#read(path, this.#merge.base) ?? []);
    const links = imports.map((imported) => ({
      imported,
      to: this.#before.resolve(imported.specifier, path),
    }));
    this.#linksBefore.set(path, links);
    return links;
  }

  isChanged(path: string): boolean {
    return this.#changed.has(path);
  }

  /** True if a script of the base imported this package and it could not be resolved there either. */
  wasMissing(name: string): boolean {
    const known = this.#missing.get(name);
    if (known !== undefined) return known;
    if (this.#missing.size === missingNamesMax) return false;
    const { base } = this.#merge;
    const scripts = base.paths().filter(isScript);
    base.load(scripts);
    const quoted = [`"${name}"`, `'${name}'`, `"${name}/`, `'${name}/`];
    const was = scripts.some((path) => {
      const text = base.text(path) ?? "";
      return quoted.some((one) => text.includes(one)) && this.#before.resolve(name, path).kind === "missing";
    });
    this.#missing.set(name, was);
    return was;
  }

  /** The file of the base that a name resolved to. */
  fileBefore(specifier: string, path: string): string | undefined {
    const found = this.#before.resolve(specifier, path);
    return found.kind === "file" ? found.path : undefined;
  }

  /** The number of scripts that were read. */
  get followed(): number {
    return this.#followed.size;
  }

  /** The unchanged scripts in which some name resolves to another file than before. */
  diverted(): ReadonlySet<string> {
    const scripts = this.#scripts().filter((path) => !this.isChanged(path));
    this.#merge.result.load(scripts);
    const isDiverted = (path: string) =>
      this.#namesIn(path).some(
        (name) => !sameResolution(this.#before.resolve(name, path), this.#after.resolve(name, path)),
      );
    return new Set(scripts.filter(isDiverted));
  }

  /** The scripts that these may lead to, and themselves. */
  async reachable(start: Iterable<string>): Promise<ReadonlySet<string>> {
    const seen = new Set(start);
    let reached = [...seen];
    for (let round = 1; reached.length > 0; round += 1) {
      await this.#merge.result.fetch(round === roundsMax ? this.#scripts() : reached);
      const next = new Set(reached.flatMap((path) => [...this.mayLeadTo(path)]));
      reached = [...next].filter((path) => !seen.has(path));
      for (const path of reached) seen.add(path);
    }
    return seen;
  }

  /** The scripts that a script may import, found by the names in it: those that it imports, and perhaps others. */
  mayLeadTo(path: string): ReadonlySet<string> {
    const known = this.#mayLeadTo.get(path);
    if (known !== undefined) return known;
    const found = new Set<string>();
    for (const name of this.#namesIn(path)) {
      const to = this.#after.resolve(name, path);
      if (to.kind === "file" && isScript(to.path)) found.add(to.path);
    }
    this.#mayLeadTo.set(path, found);
    return found;
  }

  #scripts(): string[] {
    return this.#merge.result.paths().filter(isScript);
  }

  #namesIn(path: string): readonly string[] {
    this.#followed.add(path);
    return [...quotedNames(this.#merge.result.text(path) ?? "")];
  }

  #importsOf(path: string): readonly ScriptImport[] {
    const known = this.#imports.get(path);
    if (known !== undefined) return known;
    this.#followed.add(path);
    const found = this.#read(path, this.#merge.result);
    if (found === undefined) this.unread.push(path);
    this.#imports.set(path, found ?? []);
    return found ?? [];
  }

  #read(path: string, tree: SourceTree): ScriptImport[] | undefined {
    const text = tree.text(path);
    if (text === undefined) return undefined;
    if (!mayImport(text)) return [];
    const parsed = this.#parser.parse(path, text);
    return "fault" in parsed ? undefined : importsIn(path, parsed.program);
  }
}

export function isScript(path: string): boolean {
  return fileKind(path) === "script";
}
