import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { shellWord } from "../../core/text/quoted.ts";
import { replaceFile } from "../../workspace/files/replace-file.ts";
import { installFolder } from "../../workspace/process/install-folder.ts";
import { hookText } from "./hook-file.ts";
import type { ServerPlace } from "./start-server.ts";
import { isTriedNode } from "./tried-node.ts";
import { type Machine, readMachine } from "./ways-to-ask.ts";

/**
 * Rehashing Node's snapshot takes a seventh of its start time. It protects long-running processes against crafted keys,
 * which the short-lived hook client does not need.
 */
const clientFlags = isTriedNode() ? ["--no-rehash-snapshot"] : [];

/** Shell words that start the Node client of this installation. The client's name follows them. */
function launchWords({ folder, root }: Pick<ServerPlace, "folder" | "root">): string {
  const install = installFolder();
  const [client, program] = ["dist/guard-client.cjs", "bin/lockstep.cjs"].map((file) => join(install, file));
  return [process.execPath, ...clientFlags, client ?? "", folder, root, program ?? ""]
    .map(shellWord)
    .join(" ");
}

/**
 * Writes the two files that hook lines source: how to call Lockstep on this machine, and where it is installed. Client
 * settings may be shared between machines. Without these files Lockstep counts as not installed. The machine is probed
 * only if it is not given and the file must be written.
 */
export function writeLaunch(
  place: Pick<ServerPlace, "folder" | "root">,
  { machine, durable = true }: { readonly machine?: Machine; readonly durable?: boolean } = {},
): void {
  if (machine !== undefined || !isHookCurrent(place.folder))
    write(hookFile(place.folder), hookText(machine ?? readMachine()), durable);
  write(launchFile(place.folder), `${launchWords(place)} "$@"\n`, durable);
}

/** True if the hook file is the one that this version writes, with or without `nc`. */
export function isHookCurrent(folder: string): boolean {
  return writtenMachine(folder) !== undefined;
}

/** What the hook file says about the machine; undefined if this version has not written it. */
export function writtenMachine(folder: string): Machine | undefined {
  const text = textOf(hookFile(folder));
  return [true, false].map((netcat) => ({ netcat })).find((machine) => text === hookText(machine));
}

function write(file: string, text: string, durable: boolean): void {
  if (textOf(file) === text) return;
  // An incomplete file could not refuse calls properly.
  replaceFile(file, text, { durable });
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** The name is also in the hook lines. */
export function hookFile(folder: string): string {
  return join(folder, "hook");
}

/** The name is also in the hook file. */
export function launchFile(folder: string): string {
  return join(folder, "launch");
}

/** The paths of Node, the client and the `lockstep` command in a launch file. */
export function launchedPrograms(text: string): readonly string[] {
  const words = text.match(/'(?:[^']|'\\'')*'|[^\s']+/g) ?? [];
  const [node, client, , , program] = words
    .map((word) => word.replace(/^'|'$/g, "").replaceAll("'\\''", "'"))
    .filter((word) => !word.startsWith("--"));
  return [node, client, program].filter((word) => word !== undefined);
}
