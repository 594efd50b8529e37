import { resolveDots } from "../paths/locate.ts";
import type { Machine } from "./machine.ts";
import type { World } from "./world.ts";

const temporary = ["/tmp", "/var/tmp"];

/**
 * Where a shell finds a program that is called by its name alone, if the programs of agents may have written that
 * file: in the project or in a temporary folder.
 */
export function foundInProject(m: Machine, name: string, { cwd }: World): string | undefined {
  const { disk, path = [] } = m.context;
  if (disk === undefined || name.includes("/") || !holdsOpen(m)) return undefined;
  for (const folder of path) {
    const absolute = folder.startsWith("/") ? folder : resolveDots(`${cwd ?? m.context.root}/${folder}`);
    const file = `${absolute.replace(/\/+$/, "")}/${name}`;
    if (disk.kindOf(file) === "file") return isOpen(m, folder) ? file : undefined;
  }
  return undefined;
}

/** True if PATH has such a folder before the system's: a program could be put there while the command runs. */
export function mayBeFoundInProject(m: Machine): boolean {
  const { path = [] } = m.context;
  const first = path.findIndex((folder) => isOpen(m, folder));
  const system = path.findIndex((folder) => /^\/(?:usr\/)?bin\/?$/.test(folder));
  return first >= 0 && (system < 0 || first < system);
}

function holdsOpen(m: Machine): boolean {
  return m.context.path?.some((folder) => isOpen(m, folder)) ?? false;
}

/** An empty or relative entry is searched from the folder in which the program is called. */
function isOpen({ context: { root, checkouts = [], disk } }: Machine, folder: string): boolean {
  if (!folder.startsWith("/")) return true;
  const spellings = [resolveDots(folder), disk?.realPath(folder) ?? folder];
  return [root, ...checkouts, ...temporary].some((top) =>
    spellings.some((one) => one === top || one.startsWith(`${top}/`)),
  );
}
