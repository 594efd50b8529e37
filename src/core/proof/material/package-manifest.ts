import { isObject } from "../../values/fields.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Empty if it cannot be parsed: the syntax check reports that. */
export function readManifest(text: string | undefined): Fields {
  try {
    const value: unknown = JSON.parse((text ?? "{}").replace(/^\uFEFF/, ""));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

export function scriptsOf(manifest: Fields): Fields {
  return isObject(manifest.scripts) ? manifest.scripts : {};
}

/** Fields that belong to the product; every other field contains the settings of a tool. */
const productFields = new Set(
  (
    "name version description keywords homepage bugs license author contributors maintainers funding files main module " +
    "browser bin man directories repository dependencies devDependencies peerDependencies peerDependenciesMeta " +
    "optionalDependencies bundleDependencies bundledDependencies overrides resolutions engines devEngines os cpu libc " +
    "private publishConfig workspaces type exports imports alias _moduleAliases types typings typesVersions sideEffects " +
    "packageManager pnpm unpkg jsdelivr style sass source gypfile browserslist react-native icon publisher contributes " +
    "activationEvents nolookalike $schema allowScripts require require-dev autoload"
  ).split(" "),
);

function toolFieldsOf(...manifests: readonly Fields[]): readonly string[] {
  return [...new Set(manifests.flatMap((one) => Object.keys(one)))].filter(
    (field) => !productFields.has(field),
  );
}

/** True for a new manifest with tool settings besides scripts. */
export function hasTools(path: string, text: string): boolean {
  if (!path.endsWith("package.json")) return false;
  const manifest = readManifest(text);
  const tools = toolFieldsOf(manifest).filter((field) => field !== "scripts");
  return tools.length > 0 || redirectingFields.some((field) => manifest[field] !== undefined);
}

/** Fields whose entries can redirect the imports of tests: the base's entries stay unchanged. */
const redirectingFields = ["imports", "alias", "_moduleAliases"];

/** The change's manifest with the base's scripts and tool settings; the change's own text if these are equal. */
export function mixPackage(base: string, changed: string): string {
  const [old, now] = [readManifest(base), readManifest(changed)];
  const mixed: Record<string, unknown> = { ...now };
  for (const field of toolFieldsOf(old, now)) {
    if (same(old[field], now[field])) continue;
    if (old[field] === undefined) delete mixed[field];
    else mixed[field] = old[field];
  }
  for (const field of redirectingFields) {
    const [before, after] = [old[field], now[field]];
    if (isObject(before) && !same(before, after))
      mixed[field] = { ...(isObject(after) ? after : {}), ...before };
  }
  return same(mixed, now) ? changed : `${JSON.stringify(mixed, null, 2)}\n`;
}

/** Descriptions of the changes, such as `script \`test\` redefined`. */
export function packageChanges(base: string, changed: string): readonly string[] {
  const [old, now] = [readManifest(base), readManifest(changed)];
  const scripts = ["scripts", "tasks"].flatMap((field) =>
    entryChanges(old[field], now[field]).map(({ name, how }) => `script \`${name}\` ${how}`),
  );
  const tools = toolFieldsOf(old, now)
    .filter((field) => field !== "scripts" && field !== "tasks" && !same(old[field], now[field]))
    .map((field) => `\`${field}\` settings ${howChanged(old[field], now[field])}`);
  const redirected = redirectingFields.flatMap((field) =>
    entryChanges(old[field], now[field])
      .filter(({ how }) => how !== "added")
      .map(({ name, how }) => `import \`${name}\` ${how === "redefined" ? "redirected" : how}`),
  );
  return [...scripts, ...tools, ...redirected];
}

function entryChanges(before: unknown, after: unknown) {
  const [old, now] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((name) => !same(old[name], now[name]))
    .map((name) => ({ name, how: howChanged(old[name], now[name]) }));
}

function howChanged(before: unknown, after: unknown): "added" | "removed" | "redefined" {
  return before === undefined ? "added" : after === undefined ? "removed" : "redefined";
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

const testPackages =
  /^(?:vitest|jest|jest-.*|@jest\/.*|@vitest\/.*|mocha|chai|chai-.*|ava|tap|tape|uvu|jasmine.*|karma.*|sinon|expect|should|playwright|@playwright\/.*|cypress|c8|nyc|eslint|typescript|tsx|ts-node|ts-jest|babel-jest|@swc\/jest|@testing-library\/.*|nock|supertest|power-assert|assert)$/;
const dependencyFields = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
/** Any source that is not a version range of the registry. */
const elsewhere =
  /^(?:npm:|file:|link:|portal:|workspace:|patch:|git|https?:|github:|[./]|~\/)|^[\w-]+\/[\w.-]+/;

/** Test tools that the change takes from another source than the registry's package of that name. */
export function redirectedRunners(base: string | undefined, changed: string): readonly string[] {
  const [old, now] = [readManifest(base), readManifest(changed)];
  const direct = dependencyFields.flatMap((field) => changedSources(old[field], now[field]));
  const overrides = [
    changedSources(flat(old.overrides), flat(now.overrides), /./),
    changedSources(flat(old.resolutions), flat(now.resolutions), /./),
    changedSources(flat(pnpmOverrides(old)), flat(pnpmOverrides(now)), /./),
  ].flat();
  return [...new Set([...direct, ...overrides])];
}

/** Test tools that are locked to another package with the same version. */
export function redirectedLocks(base: string | undefined, changed: string): readonly string[] {
  const packages = (text: string | undefined): Fields => {
    const { packages: found } = readManifest(text);
    return isObject(found) ? found : {};
  };
  const [old, now] = [packages(base), packages(changed)];
  return Object.entries(now).flatMap(([place, entry]) => {
    const name = place.replace(/^.*node_modules\//, "");
    const before = old[place];
    if (!testPackages.test(name) || !isObject(entry) || !isObject(before)) return [];
    const isOther = ["resolved", "integrity", "link"].some((field) => entry[field] !== before[field]);
    return isOther && entry.version === before.version
      ? [`\`${name}\` is locked to another package of the same version`]
      : [];
  });
}

function pnpmOverrides({ pnpm }: Fields): unknown {
  return isObject(pnpm) ? pnpm.overrides : undefined;
}

function changedSources(before: unknown, after: unknown, from = elsewhere): readonly string[] {
  const [old, now] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
  return Object.entries(now).flatMap(([name, source]) =>
    typeof source === "string" && old[name] !== source && testPackages.test(nameIn(name)) && from.test(source)
      ? [`\`${nameIn(name)}\` now comes from \`${source}\``]
      : [],
  );
}

/** `vitest@1`, `a>vitest`, `**\/vitest`: the last name is the replaced package. */
function nameIn(key: string): string {
  const last =
    key
      .split(">")
      .at(-1)
      ?.replace(/^\*\*\//, "") ?? key;
  return last.replace(/(?!^)@.*$/, "");
}

function flat(value: unknown): Fields {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) =>
      isObject(one)
        ? Object.entries(flat(one)).map(([inner, source]) => [inner === "." ? name : inner, source])
        : [[name, one]],
    ),
  );
}

/** The files that a package exports are its product, even if a check uses them. */
export function entryPaths(manifest: Fields): readonly string[] {
  const { main, module, bin, exports, types, browser } = manifest;
  return textsIn([main, module, bin, exports, types, browser]).map((path) => path.replace(/^\.\//, ""));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
