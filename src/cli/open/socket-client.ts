import { lstatSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type OperationName, operations } from "../../contract/operations.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { quoted } from "../../core/text/quoted.ts";
import { field } from "../../core/values/fields.ts";
import { type HostRequest, protocolVersion, requestBytesMax } from "../../server/protocol.ts";

const answerMsMax = 2000;
const answerBytesMax = 64 * 1024 * 1024;
const pauseMs = 20;

type Request = Pick<HostRequest, "input" | "call"> & { readonly operation: OperationName };

/** The host's answer, or a deny that says why there is none. */
export async function askHost(path: string, request: Request): Promise<unknown> {
  const line = `${JSON.stringify({ version: protocolVersion, ...request })}\n`;
  if (Buffer.byteLength(line) > requestBytesMax)
    return deny("R-IN-001", `the request is longer than ${requestBytesMax} bytes: send less`);
  try {
    return whyUntrusted(path) ?? parsed(await exchange(path, line), request.operation);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    return unreached(path, absent.has(code) ? "nothing is listening there" : message);
  }
}

/** Asks the warm process to open the board. */
export async function askBoard(path: string, port: number | undefined): Promise<unknown> {
  const board = port === undefined ? {} : { port };
  try {
    const untrusted = whyUntrusted(path);
    return (
      untrusted ??
      parseJson(await exchange(path, `${JSON.stringify({ version: protocolVersion, board })}\n`, boardMsMax))
    );
  } catch (error) {
    return unreached(path, (error as Error).message);
  }
}

/** The first board loads its code and reads the ledger. */
const boardMsMax = 15_000;

const absent: ReadonlySet<string> = new Set(["ENOENT", "ECONNREFUSED"]);

function unreached(path: string, why: string): Deny {
  return deny(
    "E-STORE",
    `the host at ${quoted(path)} does not answer: ${why}; try again, and stop if it still does not answer`,
    {
      kind: "host",
      retryable: true,
    },
  );
}

/** A socket of another user is not trusted. */
function whyUntrusted(path: string): Deny | undefined {
  const found = lstatSync(path);
  const own = found.uid === (process.geteuid?.() ?? found.uid);
  return found.isSocket() && own ? undefined : unreached(path, "it is not a socket of this user");
}

async function exchange(path: string, line: string, msMax = answerMsMax): Promise<Buffer> {
  const deadline = performance.now() + msMax;
  for (;;) {
    try {
      return await exchangeOnce(path, line, deadline - performance.now());
    } catch (error) {
      const crowded = (error as NodeJS.ErrnoException).code === "EAGAIN"; // too many connections are waiting
      if (!crowded || performance.now() > deadline) throw error;
    }
    await sleep(pauseMs);
  }
}

function exchangeOnce(path: string, line: string, ms: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    const late = `timeout after ${answerMsMax / 1000} s, but the request may still be carried out`;
    const deadline = setTimeout(() => fail(new Error(late)), ms);
    const chunks: Buffer[] = [];
    let bytes = 0;
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > answerBytesMax) fail(new Error(`its answer is longer than ${answerBytesMax} bytes`));
    });
    socket.on("end", () => resolve(Buffer.concat(chunks)));
    socket.on("error", fail);
    socket.on("close", () => clearTimeout(deadline));
    socket.write(line);
  });
}

function parsed(answer: Buffer, operation: OperationName): unknown {
  if (answer.at(-1) !== newline) throw new Error("it closed the connection before the answer was complete");
  const document = parseJson(answer);
  const verdict = ["allow", "code", "reason"].map((name) => typeof field(document, name)).join(" ");
  const fits =
    operations[operation].effect === "read" ? typeof document === "object" : verdict === verdictForm;
  if (!fits) throw new Error("its answer does not fit the request");
  return document;
}

const newline = 0x0a;
const verdictForm = "boolean string string";

/** Undefined if it is not JSON. */
function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
