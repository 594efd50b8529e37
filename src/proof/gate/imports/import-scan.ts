import { fileKind } from "../reading/file-kind.ts";
import { type ScriptParser, scriptParser } from "../reading/parse-script.ts";
import type { ChangedFile, Merge, SourceTree } from "../source-tree.ts";
import { type InstalledPackages, ModuleResolver, type Resolution } from "./module-resolver.ts";
import { importsIn, type ScriptImport } from "./script-imports.ts";

/** One import of a script, and where it leads. */
export interface Link {
  readonly imported: ScriptImport;
  readonly to: Resolution;
}

const governing = /(?:^|\/)(?:package|(?:ts|js)config(?:[.-][\w.-]+)?)\.json$/;

/** Each is looked for in every script of the base. */
const missingNamesMax = 50;

/** True for files that decide where the imports of others lead. */
export function governsImports(path: string): boolean {
  return governing.test(path);
}

/** The imports of scripts before and after a merge; each text is parsed once. */
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
  readonly #missing = new Map<string, boolean>();
  readonly unread: string[] = [];

  private constructor(merge: Merge, installed: InstalledPackages, parser: ScriptParser) {
    this.#merge = merge;
    this.#parser = parser;
    this.#changed = new Map(merge.changed.map((one) => [one.path, one]));
    this.#after = new ModuleResolver(merge.result, installed);
    this.#before = new ModuleResolver(merge.base, installed);
    this.#layoutChanged = merge.changed.some(
      ({ path, status }) => status !== "modified" || governsImports(path),
    );
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

  /** True if some script of the base asked for this package, and it led to nothing then already. */
  wasMissing(name: string): boolean {
    const known = this.#missing.get(name);
    if (known !== undefined) return known;
    if (this.#missing.size === missingNamesMax) return false;
    const { base } = this.#merge;
    const quoted = [`"${name}"`, `'${name}'`, `"${name}/`, `'${name}/`];
    const was = base.paths().some((path) => {
      if (fileKind(path) !== "script") return false;
      const text = base.text(path) ?? "";
      return quoted.some((one) => text.includes(one)) && this.#before.resolve(name, path).kind === "missing";
    });
    this.#missing.set(name, was);
    return was;
  }

  /** The file of the base that a name would have meant. */
  fileBefore(specifier: string, path: string): string | undefined {
    const found = this.#before.resolve(specifier, path);
    return found.kind === "file" ? found.path : undefined;
  }

  /** The scripts that these lead to, and themselves. */
  reachable(start: readonly string[]): string[] {
    const seen = new Set(start);
    for (const path of seen)
      for (const { to } of this.links(path))
        if (to.kind === "file" && fileKind(to.path) === "script") seen.add(to.path);
    return [...seen];
  }

  #importsOf(path: string): readonly ScriptImport[] {
    const known = this.#imports.get(path);
    if (known !== undefined) return known;
    const found = this.#read(path, this.#merge.result);
    if (found === undefined) this.unread.push(path);
    this.#imports.set(path, found ?? []);
    return found ?? [];
  }

  #read(path: string, tree: SourceTree): ScriptImport[] | undefined {
    const text = tree.text(path);
    if (text === undefined) return undefined;
    // Most texts that import nothing are data; parsing those takes longest.
    if (!/\b(?:import|export|require)\b/.test(text)) return [];
    const parsed = this.#parser.parse(path, text);
    return "fault" in parsed ? undefined : importsIn(path, parsed.program);
  }
}
