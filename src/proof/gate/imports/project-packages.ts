import { readJson } from "../reading/read-json.ts";
import type { SourceTree } from "../source-tree.ts";
import { asPackageMap, type PackageMap } from "./package-map.ts";
import { below, folderOf, foldersAbove } from "./tree-files.ts";

/** One package.json of the tree. */
export interface ProjectPackage {
  readonly folder: string;
  readonly name: string | undefined;
  readonly exports: PackageMap | undefined;
  readonly imports: PackageMap | undefined;
  /** Its files of old: `main`, `module`, `types`. */
  readonly mains: readonly string[];
  readonly dependencies: ReadonlySet<string>;
}

/** The packages of a tree, by name and by the files that belong to them. */
export class ProjectPackages {
  readonly #byFolder = new Map<string, ProjectPackage>();
  readonly #byName = new Map<string, ProjectPackage>();

  constructor(tree: SourceTree) {
    const paths = tree
      .paths()
      .filter((path) => /(?:^|\/)package\.json$/.test(path) && !/(?:^|\/)node_modules\//.test(path));
    tree.load(paths);
    for (const path of paths) {
      const found = readPackage(folderOf(path), tree.text(path) ?? "");
      if (found === undefined) continue;
      this.#byFolder.set(found.folder, found);
      if (found.name !== undefined) this.#byName.set(found.name, found);
    }
  }

  /** The nearest package first. */
  above(path: string): ProjectPackage[] {
    return foldersAbove(path).flatMap((folder) => this.#byFolder.get(folder) ?? []);
  }

  named(name: string): ProjectPackage | undefined {
    return this.#byName.get(name);
  }

  in(folder: string): ProjectPackage | undefined {
    return this.#byFolder.get(folder);
  }
}

const dependencyFields = [
  "dependencies",
  "devDependencies",
  "peerDependencies",
  "optionalDependencies",
  "bundledDependencies",
] as const;

export function readPackage(folder: string, text: string): ProjectPackage | undefined {
  const result = readJson(text);
  if ("fault" in result || typeof result.document !== "object" || result.document === null) return undefined;
  const found = result.document as Readonly<Record<string, unknown>>;
  const { name, exports, imports, main, module, types, typings, source } = found;
  return {
    folder,
    name: typeof name === "string" ? name : undefined,
    exports: asPackageMap(exports),
    imports: typeof imports === "object" && imports !== null ? (imports as PackageMap) : undefined,
    mains: [source, module, main, types, typings].filter((one) => typeof one === "string"),
    dependencies: new Set(dependencyFields.flatMap((field) => namesIn(found[field]))),
  };
}

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter((one) => typeof one === "string");
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

/** `@a/b/c` → `@a/b` and `./c`; nothing for what npm would not take as a name. */
export function splitPackage(
  specifier: string,
): { readonly name: string; readonly subpath: string } | undefined {
  const [, name, rest = ""] =
    /^((?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9-][a-z0-9._-]*)(\/.*)?$/i.exec(specifier) ?? [];
  return name === undefined
    ? undefined
    : { name, subpath: rest === "" || rest === "/" ? "." : below(".", rest.slice(1)) };
}
