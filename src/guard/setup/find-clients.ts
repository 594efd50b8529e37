import { existsSync } from "node:fs";
import { join } from "node:path";
import { findFault } from "../../clients/process/find-program.ts";
import { type ClientName, clientNames, clientSetups } from "./client-setups.ts";

export interface Machine {
  readonly root: string;
  readonly home: string;
  readonly path: string;
}

/** The clients in use here: their program is on PATH, or their folder is in the project or at home. */
export function findClients(machine: Machine): readonly ClientName[] {
  return clientNames.filter((name) => isInstalled(name, machine) || hasFolder(name, machine));
}

export function isInstalled(name: ClientName, { root, path }: Machine): boolean {
  return findFault(clientSetups[name].program, { root, path }) === undefined;
}

/** A client's program: on PATH, or where its installers put it, which not every shell has on PATH. */
export function programOf(name: ClientName, machine: Machine): string | undefined {
  const { program, installed = [] } = clientSetups[name];
  if (isInstalled(name, machine)) return program;
  return installed
    .map((path) => join(machine.home, path))
    .find((file) => findFault(file, machine) === undefined);
}

function hasFolder(name: ClientName, { root, home }: Machine): boolean {
  const { folder } = clientSetups[name];
  return [root, home].some((place) => existsSync(join(place, folder)));
}
