import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isBelow } from "./plan-mounts.ts";
import { programFolders } from "./program-folders.ts";

const toolChains = [
  ...[".asdf", ".bun", ".cargo", ".deno", ".fnm", ".gem", ".m2", ".nvm", ".pyenv", ".rbenv", ".rustup"],
  ...[".sdkman", ".volta", "go", ".local/bin", ".local/lib", ".local/share/fnm", ".local/share/mise"],
  ...[".local/share/pipx", ".local/share/uv"],
];

/** As narrow as the tools allow: what else lies beside them is run, or read as settings, outside the walls. */
const caches = [
  ...[".cache", ".cargo/git", ".cargo/registry", ".gradle", ".local/share/pnpm/store", ".m2/repository"],
  ...[".m2/wrapper", ".npm", ".pnpm-store", ".yarn/berry", "go/pkg"],
];

/**
 * Without these a set-up gets no package from a private registry; a check has no use for them. `.netrc` is not
 * among them: it holds passwords for servers of every kind.
 */
const credentials = [
  ...[".npmrc", ".yarnrc.yml", ".config/pip", ".cargo/credentials", ".cargo/credentials.toml"],
  ".gem/credentials",
];

/** Where tools look for a cache that the home does not have. */
const cacheVariables: readonly (readonly [variable: string, cache: string])[] = [
  ["npm_config_cache", ".npm"],
  ["XDG_CACHE_HOME", ".cache"],
  ["CARGO_HOME", ".cargo/registry"],
  ["GOPATH", "go/pkg"],
  ["GRADLE_USER_HOME", ".gradle"],
];

type Part = "shown" | "writable" | "hidden";

/** What there is of the home inside the walls. What a person opens is open as a whole. */
export function homeParts(
  home: string,
  opened: readonly string[],
  purpose: "check" | "set-up",
): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>();
  const add = (paths: readonly string[], as: Part) => {
    for (const path of paths) if (existsSync(path)) parts.set(path, as);
  };
  const inHome = (names: readonly string[]) => names.map((name) => join(home, name));
  add(inHome(toolChains), "shown");
  add(inHome(caches), "writable");
  add(programsIn(home), "shown");
  add(inHome(credentials), purpose === "set-up" ? "shown" : "hidden");
  for (const path of inHome(opened)) {
    for (const known of [...parts.keys()]) if (isBelow(path, known)) parts.delete(known);
    add([path], "writable");
  }
  return parts;
}

/** `~/bin` needs nothing of a `~/lib`. */
export function programsIn(home: string): readonly string[] {
  const spellings = [home, realpathSync(home)];
  return programFolders().filter((folder) =>
    spellings.some((one) => isBelow(one, folder) && folder !== join(one, "lib")),
  );
}

/** Inside, a home is read-only: where a cache is missing, the tool gets one for this run alone. */
export function missingCaches(temporary: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    cacheVariables
      .filter(([, cache]) => !existsSync(join(homedir(), cache)))
      .map(([variable, cache]) => [variable, join(temporary, cache.replace(/\/.*/, ""))]),
  );
}
