import { existsSync } from "node:fs";
import { join } from "node:path";
import { findFault } from "../../clients/process/find-program.ts";
import { type ClientName, clientNames } from "../../contract/client-names.ts";
import { clientSetups } from "./client-setups.ts";

export interface Machine {
  readonly root: string;
  readonly home: string;
  readonly path: string;
}

/** The clients in use here: they are installed, or their folder is in the project. */
export function findClients(machine: Machine): readonly ClientName[] {
  return clientNames.filter(
    (name) => programOf(name, machine) !== undefined || hasFolder(name, machine.root),
  );
}

/** Clients that only have a folder at home. They may be gone, or be used in an editor. */
export function findTraces(machine: Machine): readonly ClientName[] {
  const found = findClients(machine);
  return clientNames.filter((name) => !found.includes(name) && hasFolder(name, machine.home));
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

function hasFolder(name: ClientName, place: string): boolean {
  return existsSync(join(place, clientSetups[name].folder));
}
