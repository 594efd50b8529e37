import { isBuiltin } from "node:module";
import type { SourceTree } from "../source-tree.ts";
import { IgnoredPaths } from "./ignored-paths.ts";
import { moduleFile } from "./module-file.ts";
import { targetsOf } from "./package-map.ts";
import { PathAliases } from "./path-aliases.ts";
import { type ProjectPackage, ProjectPackages, splitPackage } from "./project-packages.ts";
import { below, folderOf, foldersAbove, pathFrom, TreeFiles } from "./tree-files.ts";

/** The packages that are installed next to the tree. */
export interface InstalledPackages {
  hasPackage(name: string): boolean;
}

/**
 * What an import resolves to: a file of the tree; something that is provided from outside (a package, Node); `unknown`,
 * which is built later or is an alias of some tool; or `missing`, with the `name` of the missing package.
 */
export type Resolution =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "provided"; readonly byWorkspace?: true }
  | { readonly kind: "unknown" }
  | { readonly kind: "missing"; readonly why: string; readonly name?: string };

export function sameResolution(a: Resolution, b: Resolution): boolean {
  if (a.kind === "file" && b.kind === "file") return a.path === b.path;
  if (a.kind === "provided" && b.kind === "provided") return a.byWorkspace === b.byWorkspace;
  return a.kind === b.kind;
}

/** Types that React Router and SvelteKit write beside a route. */
const writtenTypes = /(?:^|\/)(?:\+types\/[^/]+|\$types(?:\.\w+)?)$/;

const provided: Resolution = { kind: "provided" };
const unknown: Resolution = { kind: "unknown" };
const missing = (why: string, name?: string): Resolution =>
  name === undefined ? { kind: "missing", why } : { kind: "missing", why, name };

/** Resolves imports like the common tools: it is enough if one of them finds the module. */
export class ModuleResolver {
  readonly #tree: SourceTree;
  readonly #installed: InstalledPackages;
  readonly #files: TreeFiles;
  readonly #ignored: IgnoredPaths;
  readonly #packages: ProjectPackages;
  readonly #aliases: PathAliases;
  readonly #known = new Map<string, Resolution>();
  readonly #rules = new Map<string, string>();
  #ambient: readonly string[] | undefined;

  constructor(tree: SourceTree, installed: InstalledPackages) {
    this.#tree = tree;
    this.#installed = installed;
    this.#files = new TreeFiles(tree);
    this.#ignored = new IgnoredPaths(tree);
    this.#packages = new ProjectPackages(tree);
    this.#aliases = new PathAliases(tree);
  }

  resolve(specifier: string, from: string): Resolution {
    const folder = folderOf(from);
    const key = `${specifier.startsWith(".") ? folder : this.#rulesOf(folder)}\0${specifier}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = this.#resolve(specifier, from);
    // Bundlers treat the text after `?` as options.
    const plain = specifier.replace(/\?.*$/s, "");
    const result = found.kind === "missing" && plain !== specifier ? this.#resolve(plain, from) : found;
    this.#known.set(key, result);
    return result;
  }

  /** The nearest folder whose configuration counts for names that are no paths. */
  #rulesOf(folder: string): string {
    const known = this.#rules.get(folder);
    if (known !== undefined) return known;
    const isOwn = folder === "" || this.#packages.in(folder) !== undefined || this.#aliases.isIn(folder);
    const found = isOwn ? folder : this.#rulesOf(folderOf(folder));
    this.#rules.set(folder, found);
    return found;
  }

  #resolve(specifier: string, from: string): Resolution {
    if (specifier.startsWith("node:"))
      return isBuiltin(specifier) ? provided : missing(`Node has no \`${specifier}\``);
    // A URL, a loader's prefix, or a path from the root of some server.
    if (specifier === "" || /^[a-z][a-z0-9+.-]*:|!|^\//i.test(specifier)) return unknown;
    if (/^\.\.?(?:\/|$)/.test(specifier)) return this.#relative(specifier, from);
    const { paths, aliased } = this.#aliases.candidates(specifier, from);
    for (const path of paths) {
      const file = this.#fileOrPackage(path);
      if (file !== undefined) return { kind: "file", path: file };
    }
    if (aliased && paths.some((path) => this.#isElsewhere(path))) return unknown;
    const found = specifier.startsWith("#") ? this.#internal(specifier, from) : this.#bare(specifier, from);
    return aliased && found.kind !== "file" && found.kind !== "provided"
      ? missing("no path that tsconfig gives it has a file")
      : found;
  }

  #relative(specifier: string, from: string): Resolution {
    const path = pathFrom(folderOf(from), specifier);
    if (path === undefined || writtenTypes.test(path)) return unknown;
    const file = this.#fileOrPackage(path, /(?:^|\/)\.{0,2}$/.test(specifier));
    if (file !== undefined) return { kind: "file", path: file };
    return this.#isElsewhere(path) ? unknown : missing(`there is no \`${path}\``);
  }

  /** A file, or what the package.json of a folder points to. */
  #fileOrPackage(path: string, asFolder = false): string | undefined {
    const folder = this.#packages.in(path);
    return moduleFile(path, this.#files, asFolder) ?? (folder && this.#fileOf(folder, "."));
  }

  /** True for paths that no tree contains, because they are built later or are behind a link. */
  #isElsewhere(path: string): boolean {
    const isLink = (folder: string) => this.#files.hasFile(folder) && this.#tree.text(folder) === undefined;
    if (foldersAbove(path).some(isLink)) return true;
    return ["", ".ts", ".js", "/index.js"].some((ending) => this.#ignored.has(path + ending));
  }

  /** `#name`: the `imports` of the nearest package. */
  #internal(specifier: string, from: string): Resolution {
    const [nearest] = this.#packages.above(from);
    if (nearest?.imports === undefined) return unknown;
    const targets = targetsOf(nearest.imports, specifier);
    if (targets === undefined) return missing(`\`imports\` of ${packageFile(nearest)} has no such key`);
    for (const target of targets) {
      const found = target.startsWith(".") ? this.#target(nearest, target) : this.#bare(target, from);
      if (found.kind !== "missing") return found;
    }
    return missing(`${packageFile(nearest)} leads it to no file`);
  }

  #target({ folder }: ProjectPackage, target: string): Resolution {
    const path = pathFrom(folder, target);
    if (path === undefined) return unknown;
    const file = moduleFile(path, this.#files);
    if (file !== undefined) return { kind: "file", path: file };
    return this.#isElsewhere(path) ? provided : missing(`there is no \`${path}\``);
  }

  #bare(specifier: string, from: string): Resolution {
    if (isBuiltin(specifier)) return provided;
    const above = this.#packages.above(from);
    const rooted = this.#rooted(specifier, above);
    const split = splitPackage(specifier);
    if (split === undefined) return rooted ?? unknown;
    const { name, subpath } = split;
    if (above[0]?.name === name && above[0].exports !== undefined) return this.#self(above[0], subpath);
    const workspace = this.#packages.named(name);
    const file = workspace === undefined ? undefined : this.#fileOf(workspace, subpath);
    if (file !== undefined) return { kind: "file", path: file };
    if (this.#provides(name, above)) return provided;
    if (workspace !== undefined) return { kind: "provided", byWorkspace: true };
    if (rooted !== undefined) return rooted;
    if (above.length === 0 || this.#isDeclared(specifier)) return unknown;
    return missing(`no package.json names \`${name}\`, and it is not installed`, name);
  }

  /** The package's own name, through its own `exports`. */
  #self(own: ProjectPackage, subpath: string): Resolution {
    const targets = targetsOf(own.exports ?? {}, subpath);
    if (targets === undefined) return missing(`\`exports\` of ${packageFile(own)} has no \`${subpath}\``);
    const found = targets.map((target) => this.#target(own, target));
    return (
      found.find(({ kind }) => kind === "file") ??
      found.find(({ kind }) => kind !== "missing") ??
      missing(`${packageFile(own)} leads it to no file`)
    );
  }

  #fileOf({ folder, exports, mains }: ProjectPackage, subpath: string): string | undefined {
    const named =
      exports === undefined ? (subpath === "." ? [...mains, "."] : [subpath]) : targetsOf(exports, subpath);
    for (const target of named ?? []) {
      const path = pathFrom(folder, target);
      const file = path === undefined ? undefined : moduleFile(path, this.#files);
      if (file !== undefined) return file;
    }
    return undefined;
  }

  #provides(name: string, above: readonly ProjectPackage[]): boolean {
    const types = `@types/${name.replace(/^@/, "").replace("/", "__")}`;
    const has = (wanted: string) =>
      above.some(({ dependencies }) => dependencies.has(wanted)) || this.#installed.hasPackage(wanted);
    return has(name) || has(types);
  }

  /** Bundlers are told to look in the package's root or in its `src`, `@/` and `~/` meaning the same. */
  #rooted(specifier: string, above: readonly ProjectPackage[]): Resolution | undefined {
    const name = specifier.replace(/^[@~]\//, "");
    const places = (above[0] === undefined ? [""] : above.map(({ folder }) => folder)).flatMap((folder) => [
      below(folder, name),
      below(folder, `src/${name}`),
    ]);
    const file = places.map((path) => moduleFile(path, this.#files)).find((path) => path !== undefined);
    return file === undefined ? undefined : { kind: "file", path: file };
  }

  /** `declare module "name"` somewhere in the tree. */
  #isDeclared(specifier: string): boolean {
    this.#ambient ??= ambientModules(this.#tree);
    return this.#ambient.some((name) => {
      const star = name.indexOf("*");
      if (star < 0) return name === specifier;
      return specifier.startsWith(name.slice(0, star)) && specifier.endsWith(name.slice(star + 1));
    });
  }
}

function ambientModules(tree: SourceTree): string[] {
  const paths = tree.paths().filter((path) => path.endsWith(".d.ts"));
  tree.load(paths);
  return paths
    .flatMap((path) => [...(tree.text(path) ?? "").matchAll(/^\s*declare\s+module\s+["']([^"'\n]+)["']/gm)])
    .map((match) => match[1] as string);
}

function packageFile({ folder }: ProjectPackage): string {
  return below(folder, "package.json");
}
