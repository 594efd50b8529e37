import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { NativeAnswer } from "../../contract/tool-call.ts";
import { isWhole, type RawRequest, rawRequest, readRawAnswer } from "./raw-form.ts";
import { exchangeOn } from "./socket-exchange.ts";

const answerBytesMax = 4 * 1024 * 1024;
const newline = 0x0a;

/** Nobody is there to be asked, or somebody is and gives no good answer. */
export type Asked =
  | { readonly answer: NativeAnswer }
  | { readonly failed: "absent" | "broken"; readonly why: string };

/** Where the warm process says it listens; undefined where there is none. */
export function listeningAt(folder: string): string | undefined {
  try {
    const [socket = ""] = readFileSync(listeningFile(folder), "utf8").split("\n");
    return socket;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Its socket and its process, a line each: a shell reads it too. */
export function listeningFile(folder: string): string {
  return join(folder, "listening");
}

const absent: ReadonlySet<string> = new Set(["ENOENT", "ECONNREFUSED", "ENOTDIR"]);

export async function askServer(path: string, request: RawRequest, ms: number): Promise<Asked> {
  try {
    // Another user's socket could allow anything.
    const found = lstatSync(path);
    if (!found.isSocket() || found.uid !== (process.geteuid?.() ?? found.uid))
      return { failed: "broken", why: "its socket is no socket of this user's" };
    const answer = readRawAnswer(await exchange(path, request, ms));
    return answer === undefined ? { failed: "broken", why: "what it said is no whole answer" } : { answer };
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
      if (bytes > answerBytesMax) onError(new Error("its answer has no end"));
      // Nobody need wait for the other side to hang up.
      else if (chunk.at(-1) === newline && isWhole(Buffer.concat(chunks).toString())) onEnd();
    };
    const deadline = setTimeout(() => onError(new Error("no answer came in time")), ms);
    end = exchangeOn(path, { request: rawRequest(request), onData, onEnd, onError });
  });
}
