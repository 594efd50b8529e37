import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { NativeAnswer } from "../contract/tool-call.ts";
import { type GuardEndpoint, guardHeaders, guardPayloadBytesMax } from "../guard/world/guard-endpoint.ts";
import type { HttpAccess } from "../workspace/state/http-access.ts";
import { readMsMax } from "./protocol.ts";

const connectionsMax = 256;
const headersMax = 64;
/** A PATH can be long. */
const headerBytesMax = 64 * 1024;
/** Saves frequent callers a new connection for each call. */
const keepAliveMs = 5000;
const nonceForm = /^[\w-]{16,100}$/;

export interface HttpGuard extends AsyncDisposable {
  /** Undefined if another program has the port. */
  readonly port: number | undefined;
}

interface HttpOptions {
  readonly access: HttpAccess;
  readonly guard: GuardEndpoint;
  /** Overrides the repository's own port. */
  readonly port?: number;
}

/** `POST /guard/CLIENT` on the loopback interface, for clients that call hooks over HTTP. */
export async function openHttpGuard({ access, guard, port = access.port }: HttpOptions): Promise<HttpGuard> {
  const server = createServer({
    maxHeaderSize: headerBytesMax,
    headersTimeout: readMsMax,
    requestTimeout: readMsMax,
    connectionsCheckingInterval: readMsMax / 4,
    keepAliveTimeout: keepAliveMs,
  });
  server.maxConnections = connectionsMax;
  server.maxHeadersCount = headersMax;
  server.on("request", (request, response) => {
    replyTo(request, { access, guard, port })
      .catch((): Reply => 500) // a 500 blocks the call
      .then((reply) => send(response, reply));
  });
  const close = async () => {
    const closed = server.listening ? once(server, "close") : undefined;
    server.close();
    server.closeIdleConnections();
    await closed;
  };
  try {
    server.listen({ port, host: "127.0.0.1" });
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return { port: undefined, [Symbol.asyncDispose]: close };
  }
  return { port, [Symbol.asyncDispose]: close };
}

type Serving = Required<HttpOptions>;

/** A bare status is a refusal: its body is empty, and the connection is closed with the rest of the request. */
type Reply = number | { readonly type: "application/json" | "text/plain"; readonly body: string };

async function replyTo(request: IncomingMessage, { access, guard, port }: Serving): Promise<Reply> {
  const { method, url = "", headers } = request;
  // A web page can make this user's browser send requests here, under any host name that resolves to this machine.
  if (!isLocal(request, port)) return 403;
  if (method === "GET" && url === "/proof") return proof(headers["x-lockstep-nonce"], access);
  const [, client] = /^\/guard\/([a-z]{1,20})$/.exec(url) ?? [];
  if (client === undefined) return 404;
  if (method !== "POST") return 405;
  if (!hasToken(request, access.token)) return 401;
  const payload = await readBody(request);
  if (payload === undefined) return 413;
  const body = documentOf(await guard(client, payload, variablesOf(request)));
  return body === undefined ? 500 : { type: "application/json", body };
}

function send(response: ServerResponse, reply: Reply): void {
  if (typeof reply === "number")
    response.writeHead(reply, { connection: "close", "content-length": 0 }).end();
  else response.writeHead(200, { "content-type": reply.type }).end(reply.body);
}

function isLocal({ headers }: IncomingMessage, port: number): boolean {
  const { host, origin } = headers;
  if (origin !== undefined || headers["sec-fetch-site"] !== undefined) return false;
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
}

function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const [given, wanted] = [headers.authorization ?? "", `Bearer ${token}`].map((text) => Buffer.from(text));
  if (given === undefined || wanted === undefined || given.length !== wanted.length) return false;
  return timingSafeEqual(given, wanted);
}

/** Another program that takes the port while no server runs cannot compute this. */
function proof(nonce: unknown, access: HttpAccess): Reply {
  if (typeof nonce !== "string" || !nonceForm.test(nonce)) return 400;
  return { type: "text/plain", body: access.proofOf(nonce) };
}

/** Undefined if the body is too long; the rest is not read. The server drops clients that are too slow. */
function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  if (Number(request.headers["content-length"] ?? 0) > guardPayloadBytesMax)
    return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > guardPayloadBytesMax) {
        request.pause();
        resolve(undefined);
      } else chunks.push(chunk);
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", reject);
    request.on("close", () => reject(new Error("the client closed the connection"))); // no effect after the end
  });
}

/** An unset variable arrives as an empty header. */
function variablesOf({ headers }: IncomingMessage): Record<string, string> {
  const env: Record<string, string> = {};
  for (const { header, name } of guardHeaders) {
    const value = headers[header.toLowerCase()];
    if (typeof value === "string" && value.trim() !== "") env[name] = value.trim();
  }
  return env;
}

/** Clients treat an empty body as a failure, so an allow without text is an empty document. */
function documentOf({ exit, stdout }: NativeAnswer): string | undefined {
  const text = stdout.trim();
  if (text === "") return exit === 0 ? "{}" : undefined;
  return text.startsWith("{") ? text : undefined;
}
