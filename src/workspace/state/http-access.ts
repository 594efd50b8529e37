import { createHash, createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { field } from "../../core/values/fields.ts";
import { DiskFault } from "../files/disk-fault.ts";

/** Below the range of ephemeral ports. */
const ports = { first: 20_000, count: 10_000 };
const triesMax = 50;

/** How a repository's hooks reach the warm process over HTTP, and how both authenticate. */
export interface HttpAccess {
  /** Never changes, because it is written into the clients' settings. */
  readonly port: number;
  /** Sent by the hooks. */
  readonly token: string;
  /** The warm process's answer to a nonce. It proves that the process knows the secret, which is never sent. */
  proofOf(nonce: string): string;
}

export async function openHttpAccess(folder: string): Promise<HttpAccess> {
  return readHttpAccess(folder) ?? (await makeAccess(folder));
}

/** Undefined if the file does not exist yet. */
export function readHttpAccess(folder: string): HttpAccess | undefined {
  let text: string;
  try {
    text = readFileSync(httpAccessFile(folder), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const [port, secret] = fieldsIn(text);
  if (typeof port !== "number" || typeof secret !== "string")
    throw new DiskFault(
      `${httpAccessFile(folder)} cannot be read: remove it and run \`lockstep init\` again`,
    );
  return accessOf(port, secret);
}

async function makeAccess(folder: string): Promise<HttpAccess> {
  const port = await freePort(folder);
  const temporary = `${httpAccessFile(folder)}.${process.pid}`;
  const secret = randomBytes(32).toString("base64url");
  writeFileSync(temporary, `${JSON.stringify({ port, secret })}\n`, { mode: 0o600 });
  try {
    linkSync(temporary, httpAccessFile(folder)); // fails if another process has created it
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(temporary);
  }
  return readHttpAccess(folder) ?? accessOf(port, secret);
}

async function freePort(folder: string): Promise<number> {
  const start = createHash("sha256").update(folder).digest().readUInt32BE(0);
  for (let step = 0; step < triesMax; step += 1) {
    const port = ports.first + ((start + step) % ports.count);
    if (await isFree(port)) return port;
  }
  throw new DiskFault("no free port was found on 127.0.0.1: check which programs listen there");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    server.close();
    await once(server, "close");
    return true;
  } catch {
    return false;
  }
}

function accessOf(port: number, secret: string): HttpAccess {
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("base64url");
  return { port, token: sign("token"), proofOf: (nonce) => sign(`proof ${nonce}`) };
}

/** After a power failure the file may be incomplete. */
function fieldsIn(text: string): readonly unknown[] {
  try {
    const document: unknown = JSON.parse(text);
    return [field(document, "port"), field(document, "secret")];
  } catch {
    return [];
  }
}

export function httpAccessFile(folder: string): string {
  return join(folder, "http.json");
}
