import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../workspace/files/replace-file.ts";
import { boardFolder } from "./links.ts";

/** Below the range of ephemeral ports, and apart from the ports of hooks. */
const ports = { first: 10_240, count: 9_000 };

/** The port of the last board of this repository, else the one that it would try first. */
export function boardPort(folder: string): number {
  try {
    const port = Number(readFileSync(portFile(folder), "utf8"));
    if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return ports.first + (createHash("sha256").update(folder).digest().readUInt32BE(0) % ports.count);
}

/** The next board tries this port first, so that its address stays the same. */
export function keepBoardPort(folder: string, port: number): void {
  mkdirSync(boardFolder(folder), { recursive: true, mode: 0o700 });
  replaceFile(portFile(folder), `${port}\n`);
}

/** Without a token: it shows how to open the board. */
export function boardAddress(folder: string): string {
  return `http://127.0.0.1:${boardPort(folder)}`;
}

function portFile(folder: string): string {
  return join(boardFolder(folder), "port");
}
