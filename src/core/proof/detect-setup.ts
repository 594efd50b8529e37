import type { TopFolder } from "./detect-commands.ts";
import { pythonSetup } from "./python-setup.ts";
import { type Command, found, none, type SetupPlan } from "./setup-plan.ts";

/** The files whose content is read; for others only their presence counts. */
export const setupTexts = ["package.json", "yarn.lock", "pyproject.toml", "setup.cfg", "go.mod"] as const;

interface Surroundings {
  /** The paths of the whole tree, to find manifests in other folders. */
  readonly paths?: readonly string[];
  /** Folders that the tree gets from `workspace.include`; they are not installed again. */
  readonly included?: readonly string[];
}

/** Detects the setup from the files in a tree's top folder. */
export function detectSetup(top: TopFolder, { paths = [], included = [] }: Surroundings = {}): SetupPlan {
  const plans = readers.flatMap(([result, read]) => {
    const plan = read(top);
    if (plan === undefined) return [];
    const isGiven = plan.commands.length > 0 && result !== undefined && included.includes(result);
    return isGiven ? [none(`${result} comes from \`workspace.include\``)] : [plan];
  });
  const used = plans.filter(({ commands }) => commands.length > 0);
  const shown = used.length > 0 ? used : plans;
  return shown.length === 0
    ? nothingFound(top, paths)
    : {
        commands: used.flatMap(({ commands }) => commands),
        why: shown.map(({ why }) => why).join("; "),
        next: plans.map(({ next }) => next).find((next) => next !== null) ?? null,
      };
}

/** Each with the folder that it creates, if `workspace.include` may provide that instead. */
const readers: readonly (readonly [string | undefined, (top: TopFolder) => SetupPlan | undefined])[] = [
  ["node_modules", nodeSetup],
  [".venv", pythonSetup],
  [undefined, rubySetup],
  [undefined, phpSetup],
  [undefined, rustSetup],
  [undefined, goSetup],
];

type Manager = "npm" | "pnpm" | "yarn" | "bun";

const quiet = ["--no-audit", "--no-fund"];
const lockFiles: readonly (readonly [name: string, manager: Manager, command: Command])[] = [
  ["package-lock.json", "npm", ["npm", "ci", ...quiet]],
  ["npm-shrinkwrap.json", "npm", ["npm", "ci", ...quiet]],
  ["pnpm-lock.yaml", "pnpm", ["pnpm", "install", "--frozen-lockfile"]],
  ["yarn.lock", "yarn", ["yarn", "install", "--immutable"]],
  ["bun.lock", "bun", ["bun", "install", "--frozen-lockfile"]],
  ["bun.lockb", "bun", ["bun", "install", "--frozen-lockfile"]],
];
/** For projects without a lock file. None is written, because it would change the tree. */
const unlocked: Readonly<Record<Manager, Command>> = {
  npm: ["npm", "install", "--no-package-lock", ...quiet],
  pnpm: ["pnpm", "install", "--no-lockfile"],
  yarn: ["yarn", "install", "--no-immutable"],
  bun: ["bun", "install", "--no-save"],
};
const dependencyFields = ["dependencies", "devDependencies", "optionalDependencies", "workspaces"];

/** Only one manager is used: the one that the manifest names, otherwise the first. */
function nodeSetup(top: TopFolder): SetupPlan | undefined {
  const manifest = readManifest(top.text("package.json"));
  const named = managerOf(manifest);
  const locks = lockFiles.filter(([name]) => top.has(name));
  const lock = locks.find(([, manager]) => manager === named) ?? locks[0];
  if (lock !== undefined) {
    const [name, manager, command] = lock;
    const others = locks.filter((one) => one[1] !== manager).map(([other]) => other);
    const also = others.length === 0 ? "" : ` (${others.join(", ")} not used)`;
    const isClassic = manager === "yarn" && /^# yarn lockfile v1$/m.test(top.text(name) ?? "");
    return found(`${name}${also}`, isClassic ? ["yarn", "install", "--frozen-lockfile"] : command);
  }
  if (!top.has("package.json")) return undefined;
  if (manifest === undefined) return none("package.json is not a JSON object");
  if (!dependencyFields.some((field) => Object.keys(Object(manifest[field])).length > 0))
    return none("package.json names no dependencies");
  const manager = named ?? (top.has("pnpm-workspace.yaml") ? "pnpm" : "npm");
  return found("package.json, without a lock file", unlocked[manager]);
}

function managerOf(manifest: Readonly<Record<string, unknown>> | undefined): Manager | undefined {
  const [, name] = /^(npm|pnpm|yarn|bun)@/.exec(String(manifest?.packageManager)) ?? [];
  return name as Manager | undefined;
}

function readManifest(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined; // the syntax check reports the error
  }
}

function rubySetup(top: TopFolder): SetupPlan | undefined {
  if (top.has("Gemfile.lock")) return found("Gemfile.lock", ["bundle", "install"]);
  return top.has("Gemfile") ? none("Gemfile without Gemfile.lock", "bundle install") : undefined;
}

function phpSetup(top: TopFolder): SetupPlan | undefined {
  const command = ["composer", "install", "--no-interaction"];
  if (top.has("composer.lock")) return found("composer.lock", command);
  return top.has("composer.json")
    ? none("composer.json without composer.lock", command.join(" "))
    : undefined;
}

function rustSetup(top: TopFolder): SetupPlan | undefined {
  const name = ["Cargo.lock", "Cargo.toml"].find(top.has);
  return name === undefined ? undefined : found(name, ["cargo", "fetch"]);
}

function goSetup(top: TopFolder): SetupPlan | undefined {
  if (top.has("go.sum")) return found("go.sum", ["go", "mod", "download"]);
  if (!top.has("go.mod")) return undefined;
  return /^\s*require\b/m.test(top.text("go.mod") ?? "")
    ? found("go.mod", ["go", "mod", "download"])
    : none("go.mod requires no modules");
}

const manifests =
  /^(?!.*(?:^|\/)(?:node_modules|vendor|tests?|fixtures?|examples?)\/).+\/(?:package\.json|requirements\.txt|pyproject\.toml|Cargo\.toml|go\.mod|Gemfile)$/;

function nothingFound({ has }: TopFolder, paths: readonly string[]): SetupPlan {
  const nested = paths
    .filter((path) => manifests.test(path))
    .sort((one, other) => one.length - other.length || (one < other ? -1 : 1));
  const [first] = nested;
  if (first !== undefined) {
    const more = nested.length > 1 ? ` and ${nested.length - 1} more` : "";
    return none(`no manifest in the top folder, but ${first}${more}`, nestedCommand(first, paths));
  }
  if (["Makefile", "makefile", "GNUmakefile"].some(has)) return none("make: nothing to install");
  return none("no manifest and no lock file in the top folder");
}

function nestedCommand(manifest: string, paths: readonly string[]): string {
  const folder = manifest.slice(0, manifest.lastIndexOf("/"));
  if (!manifest.endsWith("/package.json")) return `cd ${folder} && …`;
  return `npm --prefix ${folder} ${paths.includes(`${folder}/package-lock.json`) ? "ci" : "install"}`;
}
