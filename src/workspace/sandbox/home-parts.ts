import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isBelow } from "./plan-mounts.ts";
import { programFolders } from "./program-folders.ts";

/** The caches of these tools are left out: programs outside the sandbox run, or read as settings, what is in them. */
const toolChains = [
  ...[".asdf", ".bun/bin", ".cargo/bin", ".cargo/config", ".cargo/config.toml", ".deno/bin", ".fnm", ".gem"],
  ...[".m2/settings.xml", ".m2/toolchains.xml", ".m2/wrapper", ".nvm", ".pyenv", ".rbenv", ".rustup"],
  ...[".sdkman", ".volta", "go/bin", ".local/bin", ".local/lib", ".local/share/fnm", ".local/share/mise"],
  ...[".local/share/pipx", ".local/share/uv"],
  // The versions that the shims of asdf and mise choose.
  ...[".tool-versions", ".asdfrc", ".config/mise/config.toml"],
];

/**
 * A setup needs these to install packages from a private registry; a check does not need them. `.netrc` is left out,
 * because it holds passwords for all kinds of servers.
 */
const credentials = [
  ...[".npmrc", ".yarnrc.yml", ".config/pip", ".cargo/credentials", ".cargo/credentials.toml"],
  ...[".gem/credentials", ".config/go", ".config/pnpm", ".config/uv"],
];

type Part = "shown" | "writable" | "hidden";

/** The parts of the home that are visible in the sandbox. A path that the user opens is writable with all its content. */
export function homeParts(
  home: string,
  opened: readonly string[],
  purpose: "check" | "setup",
): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>();
  const add = (paths: readonly string[], as: Part) => {
    for (const path of paths) if (existsSync(path)) parts.set(path, as);
  };
  const inHome = (names: readonly string[]) => names.map((name) => join(home, name));
  add(inHome(toolChains), "shown");
  add(programsIn(home), "shown");
  add(inHome(credentials), purpose === "setup" ? "shown" : "hidden");
  for (const path of inHome(opened)) {
    for (const known of [...parts.keys()]) if (isBelow(path, known)) parts.delete(known);
    add([path], "writable");
  }
  return parts;
}

/** The program folders below the home. `~/lib` is left out: programs in `~/bin` do not need it. */
export function programsIn(home: string): readonly string[] {
  const spellings = [home, realpathSync.native(home)];
  return programFolders().filter((folder) =>
    spellings.some((one) => isBelow(one, folder) && folder !== join(one, "lib")),
  );
}
