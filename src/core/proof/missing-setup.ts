import type { SetupPlan } from "./setup-plan.ts";

/** What a command did not find, and the command that installs it, if known. */
export interface Missing {
  readonly what: string;
  readonly install: string | null;
}

const programs: readonly RegExp[] = [
  /^(?:\S*\/)?(?:sh|bash|dash|zsh|ash): (?:(?:line )?\d+: )?([^\s:]+): (?:command )?not found$/m,
  /^(?:zsh:\d+: )?command not found: (\S+)$/m,
  /^(?:g?make)(?:\[\d+\])?: ([^\s:]+): No such file or directory$/m,
  /^env: [‘'"]?([^\s:'"’]+)[’'"]?: No such file or directory$/m,
];

const npm = (name: string) => `npm install --no-save ${packageOf(name)}`;
const pip = (name: string) =>
  `python3 -m venv --system-site-packages .venv && .venv/bin/pip install ${name.split(".")[0]}`;
const nothing = () => null;

/** Excludes paths, which are the project's own files; a package is imported by name. */
const bare = "(?![./\\\\]|[A-Za-z]:|file:|node:)";
const packages: readonly (readonly [RegExp, (name: string) => string | null])[] = [
  [new RegExp(`Cannot find (?:module|package) ['"\`](${bare}[^'"\`]+)['"\`]`), npm],
  [new RegExp(`(?:Could not|Can't|Failed to) resolve (?:import )?['"](${bare}[^'"]+)['"]`, "i"), npm],
  [/ModuleNotFoundError: No module named ['"]?([\w.]+)/, pip],
  [/^\S*python[\d.]*: No module named ([\w.]+)/m, pip],
  [/no required module provides package ([^\s;:]+)/, nothing],
  [/missing go\.sum entry for module providing package ([^\s;:]+)/, nothing],
  [/cannot load such file -- (?!\/)(\S+)/, nothing],
];

/**
 * What is not installed, judged by the output of a failed command; undefined if it failed for another reason. Tests
 * may print anything, so a missing program counts only if the exit code confirms it.
 */
export function missingIn(exit: number | null, output: string): Missing | undefined {
  if (exit === 127 || /\bError 127\b/.test(output)) {
    const name = programs.map((one) => one.exec(output)?.[1]).find((found) => found !== undefined);
    return { what: name === undefined ? "a program" : `the program \`${name}\``, install: null };
  }
  for (const [pattern, install] of packages) {
    const name = pattern.exec(output)?.[1];
    if (name !== undefined) return { what: `the package \`${name}\``, install: install(name) };
  }
  return undefined;
}

/** `@scope/name/part` is a part of `@scope/name`. */
function packageOf(name: string): string {
  return name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Why a check cannot run on a tree without a setup, and the setting that fixes it. */
export function missingSetup(command: string, { what, install }: Missing, { why, next }: SetupPlan): string {
  const line = next ?? install ?? "the command that installs it";
  const cause = `\`${command}\` cannot run on the base: ${what} is missing, and nothing was installed (${why})`;
  return `${cause}; write \`workspace: { setup: [${JSON.stringify(line)}] }\` into .lockstep/config.yaml`;
}
