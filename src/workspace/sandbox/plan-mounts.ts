import { existsSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { quoted } from "../../core/text/quoted.ts";
import { type PlacedFolder, SandboxFault, type SandboxPolicy } from "./sandbox.ts";

/** For a `link`, `from` is its target. */
export interface Mount {
  readonly at: string;
  readonly from: string;
  readonly as: "hidden" | "read-only" | "writable" | "link";
}

/** The mounts over a read-only root; each comes after the mounts that contain it. */
export function planMounts(policy: SandboxPolicy): readonly Mount[] {
  const asked = distinct(resolvePolicy(policy));
  const own = ownMounts(policy).filter(({ at }) => !asked.has(at));
  const planned = new Map<string, Mount>();
  for (const mount of [...asked.values(), ...own].sort(outermostFirst)) {
    const around = enclosing(planned, mount.at);
    if (isAlready(mount, around)) continue;
    for (const pin of pinsOf(mount, around)) planned.set(pin.at, pin);
    planned.set(mount.at, mount);
  }
  return [...planned.values()].sort(outermostFirst);
}

function distinct(mounts: readonly Mount[]): ReadonlyMap<string, Mount> {
  const known = new Map<string, Mount>();
  for (const mount of mounts) {
    const same = known.get(mount.at) ?? mount;
    if (same.as !== mount.as || same.from !== mount.from)
      throw new SandboxFault(`${quoted(mount.at)} is requested both as ${same.as} and as ${mount.as}`);
    known.set(mount.at, mount);
  }
  return known;
}

/** The innermost mount that contains a path. */
export function enclosing(planned: ReadonlyMap<string, Mount>, path: string): Mount | undefined {
  for (let at = dirname(path); at !== "/"; at = dirname(at)) {
    const mount = planned.get(at);
    if (mount !== undefined) return mount;
  }
  return undefined;
}

function isAlready(mount: Mount, around: Mount | undefined): boolean {
  if (mount.as === "hidden") return around?.as === "hidden";
  if (mount.as === "link") return around?.as !== "hidden"; // a visible folder shows its links
  if (mount.as !== "read-only" || mount.at !== mount.from) return false;
  return around === undefined || (around.as === "read-only" && showsItself(around));
}

function showsItself({ as, at, from }: Mount): boolean {
  return as !== "hidden" && at === from;
}

/**
 * A folder that contains a mount can still be renamed and replaced by another one; a mount cannot. So every folder
 * between a writable mount and a protected path in it becomes a mount of its own.
 */
function pinsOf({ at, from, as }: Mount, around: Mount | undefined): Mount[] {
  const isOpen = as === "writable" && at === from;
  if (isOpen || around?.as !== "writable" || !showsItself(around)) return [];
  const pins: Mount[] = [];
  for (let path = dirname(at); path !== around.at; path = dirname(path))
    pins.unshift({ at: path, from: path, as: "writable" });
  return pins;
}

function resolvePolicy({
  writable,
  readOnly,
  hidden,
  home,
  placed,
  temporary,
  socket,
}: SandboxPolicy): Mount[] {
  const realHome = realPath(home.path);
  const open = [...writable, ...home.writable].map((path) => ({ path, real: realPath(path) }));
  const inPlace = (as: Mount["as"]) => (path: string) => {
    const at = realPath(path);
    for (const folder of open) refuseWayOut(folder, { path, real: at });
    return { at, from: at, as };
  };
  const inHome = (as: Mount["as"]) => (path: string) => {
    const mount = inPlace(as)(path);
    const at = join(realHome, pathBelow(home.path, path));
    // The rest of the home is hidden, so a link to a shown path has to be created again.
    return [mount, ...linkTo(at, mount.at)];
  };
  const mounts: Mount[] = [
    { at: realHome, from: realHome, as: "hidden" },
    ...home.shown.flatMap(inHome("read-only")),
    ...home.writable.flatMap(inHome("writable")),
    ...[...(home.given ?? [])].map(
      ([name, from]): Mount => ({ at: join(realHome, name), from: realPath(from), as: "read-only" }),
    ),
    ...hidden.map(inPlace("hidden")),
    ...readOnly.map(inPlace("read-only")),
    ...writable.map(inPlace("writable")),
    ...placed.flatMap((folder) => {
      const at = realPath(folder.at);
      const link = [home.path, realHome].some((one) => isBelow(one, folder.at))
        ? linkTo(join(realHome, pathBelow(home.path, folder.at)), at)
        : [];
      return [...link, ...placedMounts(folder, at)];
    }),
    ...(socket === undefined ? [] : [inPlace("read-only")(socket)]),
    ...(temporary === null
      ? []
      : [{ at: realPath("/tmp"), from: realPath(temporary), as: "writable" as const }]),
  ];
  for (const mount of mounts) refuseSystem(mount);
  return mounts;
}

function linkTo(at: string, from: string): Mount[] {
  return at === from ? [] : [{ at, from, as: "link" }];
}

function placedMounts({ at: person, from, shown }: PlacedFolder, at: string): Mount[] {
  return [
    { at, from: realPath(from), as: "writable" },
    ...shown.map(
      (name): Mount => ({ at: join(at, name), from: realPath(join(person, name)), as: "read-only" }),
    ),
  ];
}

/** A process that can write the folder could put a link there and so choose what is shown. */
function refuseWayOut(folder: Resolved, { path, real }: Resolved): void {
  const starts = isBelow(folder.path, path) || isBelow(folder.real, path);
  if (!starts || isBelow(folder.real, real)) return;
  throw new SandboxFault(`${quoted(path)} is a link that leads out of ${quoted(folder.path)}: remove it`);
}

interface Resolved {
  readonly path: string;
  readonly real: string;
}

function refuseSystem({ at, from }: Mount): void {
  if (at === "/tmp" && at === from)
    throw new SandboxFault("`/tmp` is shared by all users: the temporary folder has to be a private one");
  if (at === "/")
    throw new SandboxFault("`/` as a whole is always read-only in the sandbox: name folders below it");
  const own = ["/proc", "/dev"].find((folder) => at === folder || isBelow(folder, at));
  if (own !== undefined)
    throw new SandboxFault(`${quoted(at)} is in \`${own}\`, which the sandbox replaces: name another path`);
}

/** Mounts that every sandbox has: private temporary folders, and a hidden /run except for what programs need of it. */
function ownMounts({ temporary, network }: SandboxPolicy): Mount[] {
  const shared = new Set(
    [...(temporary === null ? ["/tmp"] : []), "/var/tmp"].filter(existsSync).map(realPath),
  );
  // A process can still connect to sockets in a read-only mount, and a container engine's socket gives it the machine.
  const runtime = new Set(["/run", "/var/run"].filter(existsSync).map(realPath));
  return [
    ...[...shared].map((at): Mount => ({ at, from: realPath(temporary ?? at), as: "writable" })),
    ...[...runtime].flatMap((at): Mount[] => [{ at, from: at, as: "hidden" }, ...linksIn(at)]),
    ...(network ? nameResolution(runtime) : []),
  ];
}

/** On some systems the links to all installed programs are in /run. */
function linksIn(folder: string): Mount[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink())
    .map(({ name }) => join(folder, name))
    .map((at) => ({ at, from: readlinkSync(at), as: "link" }));
}

function nameResolution(runtime: ReadonlySet<string>): Mount[] {
  if (!existsSync("/etc/resolv.conf")) return [];
  const file = realPath("/etc/resolv.conf");
  const folder = dirname(file);
  if (runtime.has(folder)) return [{ at: file, from: file, as: "read-only" }];
  if (![...runtime].some((above) => isBelow(above, file))) return [];
  return [{ at: folder, from: folder, as: "read-only" }]; // the file is replaced when the network changes
}

function realPath(path: string): string {
  if (!isAbsolute(path)) throw new SandboxFault(`${quoted(path)} is not an absolute path`);
  try {
    return realpathSync.native(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const problem = code === "ENOENT" ? "does not exist" : `cannot be resolved: ${message}`;
    throw new SandboxFault(`${quoted(path)} ${problem}; the sandbox needs every path that is named`, {
      cause,
    });
  }
}

function pathBelow(folder: string, path: string): string {
  const below = [folder, realPath(folder)].find((one) => isBelow(one, path));
  if (below === undefined) throw new SandboxFault(`${quoted(path)} is not below the home ${quoted(folder)}`);
  return relative(below, path);
}

export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith("../");
}

function outermostFirst(one: Mount, other: Mount): number {
  return one.at.split("/").length - other.at.split("/").length;
}
