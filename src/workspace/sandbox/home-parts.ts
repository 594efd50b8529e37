import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isBelow } from "./plan-mounts.ts";
import { programFolders } from "./program-folders.ts";

/** Without the caches beside them: what a check leaves there is run, or read as settings, outside the walls. */
const toolChains = [
  ...[".asdf", ".bun/bin", ".cargo/bin", ".cargo/config", ".cargo/config.toml", ".deno/bin", ".fnm", ".gem"],
  ...[".m2/settings.xml", ".m2/toolchains.xml", ".m2/wrapper", ".nvm", ".pyenv", ".rbenv", ".rustup"],
  ...[".sdkman", ".volta", "go/bin", ".local/bin", ".local/lib", ".local/share/fnm", ".local/share/mise"],
  ...[".local/share/pipx", ".local/share/uv"],
];

/**
 * Without these a set-up gets no package from a private registry; a check has no use for them. `.netrc` is not
 * among them: it holds passwords for servers of every kind.
 */
const credentials = [
  ...[".npmrc", ".yarnrc.yml", ".config/pip", ".cargo/credentials", ".cargo/credentials.toml"],
  ...[".gem/credentials", ".config/go", ".config/pnpm", ".config/uv"],
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
