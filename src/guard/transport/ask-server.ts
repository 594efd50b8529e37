import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { NativeAnswer } from "../../contract/tool-call.ts";
import { isWhole, type RawRequest, rawRequest, readRawAnswer } from "./raw-form.ts";
import { exchangeOn } from "./socket-exchange.ts";

const answerBytesMax = 4 * 1024 * 1024;
const newline = 0x0a;

/** The answer of the server; or `absent` if no server runs, `broken` if it gave no valid answer. */
export type Asked =
  | { readonly answer: NativeAnswer }
  | { readonly failed: "absent" | "broken"; readonly why: string };

/** The socket on which the server listens; undefined if no server is recorded. */
export function listeningAt(folder: string): string | undefined {
  try {
    const [socket = ""] = readFileSync(listeningFile(folder), "utf8").split("\n");
    return socket;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Holds the server's socket and process id, one per line. The hook's shell reads it too. */
export function listeningFile(folder: string): string {
  return join(folder, "listening");
}

const absent: ReadonlySet<string> = new Set(["ENOENT", "ECONNREFUSED", "ENOTDIR"]);

export async function askServer(path: string, request: RawRequest, ms: number): Promise<Asked> {
  try {
    // A socket of another user could allow anything.
    const found = lstatSync(path);
    if (!found.isSocket() || found.uid !== (process.geteuid?.() ?? found.uid))
      return { failed: "broken", why: "its socket does not belong to this user" };
    const answer = readRawAnswer(await exchange(path, request, ms));
    return answer === undefined ? { failed: "broken", why: "its answer is incomplete" } : { answer };
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    return absent.has(code)
      ? { failed: "absent", why: "its server is not running" }
      : { failed: "broken", why: message };
  }
}

function exchange(path: string, request: RawRequest, ms: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let end = () => {};
    const over = () => {
      clearTimeout(deadline);
      end();
    };
    const onEnd = () => {
      over();
      resolve(Buffer.concat(chunks).toString());
    };
    const onError = (error: Error) => {
      over();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > answerBytesMax) onError(new Error("its answer is too long"));
      // A complete answer counts before the server closes the connection.
      else if (chunk.at(-1) === newline && isWhole(Buffer.concat(chunks).toString())) onEnd();
    };
    const deadline = setTimeout(() => onError(new Error("it did not answer in time")), ms);
    end = exchangeOn(path, { request: rawRequest(request), onData, onEnd, onError });
  });
}
