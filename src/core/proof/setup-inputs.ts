import type { Command } from "./setup-plan.ts";

export interface SetupTree {
  paths(): readonly string[];
  /** Undefined if absent, not a regular file, or not text. */
  text(path: string): string | undefined;
  /** Reads many texts at once. */
  load(paths: readonly string[]): void;
}

/** The files that determine the result of a setup. */
export interface SetupInputs {
  readonly paths: readonly string[];
  /** True if the inputs are complete only as long as no installed package has an install script. */
  readonly unlessScripts: boolean;
}

/**
 * The paths that determine a setup's result, or undefined if it could depend on any file. A setup that runs code of
 * the tree must not be reused for another tree: one branch could then control the checks of another.
 */
export function setupInputs(commands: readonly Command[], tree: SetupTree): SetupInputs | undefined {
  const inputs = commands.map((command) => inputsOf(command, tree));
  if (!inputs.every((one) => one !== undefined)) return undefined;
  return {
    paths: [...new Set(inputs.flatMap(({ paths }) => paths))],
    unlessScripts: inputs.some(({ unlessScripts }) => unlessScripts),
  };
}

function inputsOf([program = "", ...words]: Command, tree: SetupTree): SetupInputs | undefined {
  const line = words.join(" ");
  if (program === "npm" && npmInstall.test(line)) return npmInputs(line, tree);
  if (["pnpm", "yarn", "bun"].includes(program)) return undefined; // their lock files do not list install scripts
  if (program === "cargo" && line === "fetch") return of(cargoInputs(tree));
  if (program === "go" && line === "mod download") return of(named(tree, /^go\.(?:sum|mod|work|work\.sum)$/));
  return undefined;
}

function of(paths: readonly string[] | undefined): SetupInputs | undefined {
  return paths && { paths, unlessScripts: false };
}

/** Cargo's settings can replace the compiler with another program. */
function cargoInputs(tree: SetupTree): readonly string[] | undefined {
  return tree.paths().some((path) => /(?:^|\/)\.cargo\//.test(path))
    ? undefined
    : named(tree, /^Cargo\.(?:lock|toml)$/);
}

function named(tree: SetupTree, name: RegExp): readonly string[] {
  return tree.paths().filter((path) => name.test(path.slice(path.lastIndexOf("/") + 1)));
}

/** Files that make an install build a package or load code of the tree. */
const nodeCode =
  /(?:^|\/)(?:binding\.gyp|\.pnpmfile\.[cm]?js|\.yarnrc|bunfig\.toml|yarn\.config\.cjs)$|(?:^|\/)node_modules\//;

/** The files of every manager: npm prefers one lock file if there are two. */
const nodeFiles =
  /^(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lock|pnpm-workspace\.yaml|\.npmrc|\.yarnrc\.yml)$/;

/** Only options that name neither a program nor a folder. */
const npmInstall =
  /^(?:ci|i|install|clean-install)(?: --(?:no-audit|no-fund|no-package-lock|package-lock=false|ignore-scripts|prefer-offline|offline|legacy-peer-deps|include=dev|silent|quiet|no-save))*$/;

function npmInputs(line: string, tree: SetupTree): SetupInputs | undefined {
  if (tree.paths().some((path) => nodeCode.test(path))) return undefined;
  const paths = named(tree, nodeFiles);
  const isSettings = (path: string) => /(?:\.npmrc|\.ya?ml)$/.test(path) && !path.endsWith("pnpm-lock.yaml");
  const manifests = named(tree, /^package\.json$/);
  const settings = paths.filter(isSettings);
  const locks = paths.filter((path) => npmLocks.includes(path));
  tree.load([...manifests, ...settings, ...locks]);
  const isInert =
    manifests.every((path) => isInertManifest(tree.text(path))) &&
    locks.every((path) => isInertLock(tree.text(path))) &&
    settings.every((path) => isInertSettings(tree.text(path), { isYaml: !path.endsWith(".npmrc") }));
  return isInert
    ? { paths, unlessScripts: !/ --ignore-scripts\b/.test(line) && !lacksScripts(tree) }
    : undefined;
}

const npmLocks = ["npm-shrinkwrap.json", "package-lock.json"];

/** A package can come from a file of the tree, which the lock file names without its content. */
function isInertLock(text: string | undefined): boolean {
  const lock = readObject(text);
  return (
    lock !== undefined &&
    objectsIn(lock).every(({ resolved, version, link }) => {
      const isRemote = resolved === undefined || link === true || /^https?:/.test(String(resolved));
      return isRemote && !ofTheTree.test(String(version ?? ""));
    })
  );
}

function objectsIn(value: unknown): readonly Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(objectsIn)];
}

/** Install scripts may read any file in the tree. npm's lock file shows whether there are any. */
function lacksScripts(tree: SetupTree): boolean {
  const lock = npmLocks.map((name) => tree.text(name)).find(Boolean);
  return lock !== undefined && /"lockfileVersion":\s*[23]\b/.test(lock) && !hasInstallScript(lock);
}

/** Reads npm's lock file, or the one in `node_modules`. True for one that cannot be read. */
export function hasInstallScript(lock: string): boolean {
  const read = readObject(lock);
  return read === undefined || objectsIn(read).some((one) => Boolean(one.hasInstallScript));
}

const lifecycle = /^(?:pre|post)?(?:install|prepare|prepublish|dependencies)$|^pnpm:/;
const dependencyFields = [
  ...["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"],
  ...["overrides", "resolutions", "catalog", "catalogs", "pnpm"],
];
const codeFields = ["patchedDependencies", "configDependencies", "pnpmfile", "pnpmfilePath", "scriptShell"];
const ofTheTree = /^(?:[./]|~\/|(?:file|link|portal|exec|patch|git\+file):)/i;

function isInertManifest(text: string | undefined): boolean {
  const manifest = readObject(text);
  if (manifest === undefined) return false;
  const { scripts = {}, pnpm = {} } = manifest;
  const names = [scripts, pnpm, manifest].map((one) => Object.keys(Object(one)));
  if (names[0]?.some((name) => lifecycle.test(name))) return false;
  if (names.slice(1).some((list) => list.some((name) => codeFields.includes(name)))) return false;
  return dependencyFields.every((field) => textsIn(manifest[field]).every((one) => !ofTheTree.test(one)));
}

function readObject(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined; // the manager's behaviour is unknown
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Settings that name neither a program nor a file; unknown settings might. */
const inertSettings = new RegExp(
  `^(?:${[
    ...["registry", "@[^:/]+:registry", "//.*", "always-auth", "strict-ssl", "save-exact", "save-prefix"],
    ...["engine-strict", "fund", "audit", "loglevel", "progress", "update-notifier", "package-lock"],
    ...["(?:legacy|strict)-peer-deps", "auto-install-peers", "node-linker", "link-workspace-packages"],
    ...["shamefully-hoist", "(?:public-)?hoist-pattern\\[\\]", "ignore-scripts", "packages", "catalogs?"],
    ...["(?:onlyBuilt|ignoredBuilt|neverBuilt)Dependencies", "nodeLinker", "shamefullyHoist"],
    ...["npmRegistryServer", "enableTelemetry", "enableGlobalCache", "compressionLevel", "enableScripts"],
  ].join("|")})$`,
);
const releasedYarn = /^yarnPath: \.yarn\/releases\/[\w.-]+$/;

/** Checks `key=value` lines and top-level YAML keys; nested values must not refer to the tree. */
function isInertSettings(text: string | undefined, { isYaml }: { readonly isYaml: boolean }): boolean {
  if (text === undefined) return false;
  const lines = text.split(/\r?\n/);
  return (isYaml ? lines : lines.map((line) => line.trim())).every((line) => {
    if (/^\s*(?:[#;].*)?$|^---\s*$/.test(line) || releasedYarn.test(line)) return true;
    if (/^[\s-]/.test(line)) return !/:\s*["']?(?:[./~]|(?:file|link|portal|exec|patch):)/.test(line);
    const key = /^["']?(.*?)["']?\s*(?:=|:(?:\s|$))/.exec(line)?.[1];
    return key !== undefined && inertSettings.test(key);
  });
}
