import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { messageBytesMax } from "../../contract/board.ts";
import { readJsonBytes } from "../../core/text/read-json.ts";
import { field } from "../../core/values/fields.ts";
import { checkRequest, loopbackOrigin, type Origin } from "../access/check-request.ts";
import { takeLink } from "../access/links.ts";
import { Sessions } from "../access/sessions.ts";
import { harmlessJson, type Shown } from "../models/bounded.ts";
import type { BoardPlace } from "../models/look.ts";
import { act } from "./act.ts";
import { Live } from "./live.ts";
import { pageHeaders, readPageFiles } from "./page-files.ts";
import { readView } from "./views.ts";

const connectionsMax = 128;
const bodyBytesMax = 64 * 1024;
const readMsMax = 5000;

export interface BoardServer extends AsyncDisposable {
  readonly port: number;
  /** Pages that are open. */
  readonly pages: number;
}

export interface BoardOptions {
  readonly place: BoardPlace;
  /** 0: any free port. */
  readonly port: number;
  /** Proves that this process belongs to the repository: see `HttpAccess`. */
  proofOf(nonce: string): string;
  /** A request that failed, or a read for the live messages. */
  onFault(error: unknown): void;
}

/** Serves the page and its data on the loopback interface. */
export async function openBoard({
  place,
  port: wanted,
  proofOf,
  onFault,
}: BoardOptions): Promise<BoardServer> {
  const live = new Live(place.engine, onFault);
  const sessions = new Sessions(place.folder);
  const fileAt = readPageFiles();
  let origin: Origin = { hosts: [], origins: [] };
  const server = createServer({
    headersTimeout: readMsMax,
    requestTimeout: readMsMax,
    connectionsCheckingInterval: readMsMax / 4,
  });
  server.maxConnections = connectionsMax;
  server.maxHeadersCount = 64;
  server.on("request", (request, response) => {
    answer(request, response, { place, sessions, live, origin, fileAt, proofOf }).catch((error: unknown) => {
      onFault(error);
      if (!response.headersSent) sendJson(response, 500, { error: `the board failed: ${messageOf(error)}` });
      response.destroy();
    });
  });
  server.listen({ port: wanted, host: "127.0.0.1" });
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : wanted;
  origin = loopbackOrigin(port);
  return {
    port,
    get pages() {
      return live.size;
    },
    [Symbol.asyncDispose]: async () => {
      live[Symbol.dispose]();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Serving {
  readonly place: BoardPlace;
  readonly sessions: Sessions;
  readonly live: Live;
  readonly origin: Origin;
  readonly fileAt: ReturnType<typeof readPageFiles>;
  proofOf(nonce: string): string;
}

async function answer(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const refused = checkRequest(request, serving.origin);
  if (refused !== undefined) return sendJson(response, refused.status, { error: refused.why });
  const url = URL.parse(request.url ?? "", "http://board");
  if (url === null) return sendJson(response, 400, { error: "the address is not valid" });
  if (!url.pathname.startsWith("/api/")) return sendFile(request, response, serving.fileAt(url.pathname));
  if (request.method === "POST") {
    const body = await readBody(request);
    if (body === undefined) return sendJson(response, 413, { error: "the request is too long" });
    return post(request, response, { ...serving, path: url.pathname, body: readJsonBytes(body) });
  }
  return get(request, response, { ...serving, url });
}

/** Sessions are opened here, and actions are carried out. */
async function post(
  request: IncomingMessage,
  response: ServerResponse,
  { path, body, sessions, place }: Serving & { readonly path: string; readonly body: unknown },
): Promise<void> {
  if (path === "/api/open") {
    const may = takeLink(place.folder, field(body, "link"));
    if (may === undefined)
      return sendJson(response, 401, {
        error: "this link was used or is too old: run `lockstep board` again",
      });
    return sendJson(response, 200, sessions.start(may));
  }
  const { host = "" } = request.headers;
  const said = {
    session: field(body, "session"),
    nonce: field(body, "nonce"),
    answer: field(body, "answer"),
  };
  if (path === "/api/challenge") return sendOr401(response, sessions.challenge(host, said));
  if (path === "/api/resume") return sendOr401(response, sessions.resume(host, said));
  const session = sessionOf(request, sessions);
  if (session === undefined) return sendOr401(response, undefined);
  if (path === "/api/key")
    return sendJson(response, 200, { ...session, key: sessions.rekey(session.session, session.may) });
  if (path !== "/api/act") return sendJson(response, 404, { error: "there is nothing at this address" });
  if (session.may !== "act")
    return sendJson(response, 403, {
      error: "this page is read-only: run `lockstep board` in your terminal to act",
    });
  return sendJson(response, 200, await act(place, body));
}

async function get(
  request: IncomingMessage,
  response: ServerResponse,
  { url, sessions, place, live, proofOf }: Serving & { readonly url: URL },
): Promise<void> {
  if (url.pathname === "/api/proof") {
    const nonce = url.searchParams.get("nonce") ?? "";
    if (!/^[\w-]{16,100}$/.test(nonce)) return sendJson(response, 400, { error: "the nonce is not valid" });
    return sendJson(response, 200, { proof: proofOf(boardNonce(request.headers.host ?? "", nonce)) });
  }
  const session = sessionOf(request, sessions);
  if (session === undefined) return sendOr401(response, undefined);
  if (url.pathname === "/api/stream") {
    response.writeHead(200, {
      ...pageHeaders,
      "content-type": "text/event-stream",
      "x-accel-buffering": "no",
    });
    return live.add(response, Number(url.searchParams.get("after") ?? 0) || 0);
  }
  const name = url.pathname.slice("/api/".length);
  const view = await readView(place, {
    name,
    query: url.searchParams,
    may: session.may,
  });
  return view === undefined
    ? sendJson(response, 404, { error: "there is nothing at this address" })
    : sendJson(response, 200, view, { coloured: colouredViews.includes(name) });
}

/** What programs print is drawn with its colours. */
const colouredViews = ["log", "output"];

/** Neither another port nor the hooks' port can use the proof that this one gives. */
export function boardNonce(host: string, nonce: string): string {
  return `board ${host} ${nonce}`;
}

function sessionOf({ headers }: IncomingMessage, sessions: Sessions) {
  const [, token] = /^Bearer ([\w-]{43})$/.exec(headers.authorization ?? "") ?? [];
  return token === undefined ? undefined : sessions.find(token);
}

function sendOr401(response: ServerResponse, document: object | undefined): void {
  if (document === undefined)
    sendJson(response, 401, { error: "this page is not open any more: run `lockstep board` to open it" });
  else sendJson(response, 200, document);
}

function sendJson(response: ServerResponse, status: number, document: object, shown: Shown = {}): void {
  const whole = harmlessJson(document, shown);
  const isTooLong = status === 200 && Buffer.byteLength(whole) > messageBytesMax;
  const body = isTooLong ? JSON.stringify({ error: "the answer is too long to be shown" }) : whole;
  response.writeHead(isTooLong ? 500 : status, {
    ...pageHeaders,
    "content-type": "application/json; charset=utf-8",
  });
  response.end(body);
}

function sendFile(
  { method }: IncomingMessage,
  response: ServerResponse,
  file: ReturnType<Serving["fileAt"]>,
): void {
  if (method === "POST") sendJson(response, 405, { error: "only GET is answered here" });
  else if (file === undefined) sendJson(response, 404, { error: "there is nothing at this address" });
  else {
    response.writeHead(200, {
      ...pageHeaders,
      "content-type": file.type,
      "content-length": file.bytes.length,
    });
    response.end(method === "HEAD" ? undefined : file.bytes);
  }
}

/** Undefined if the body is too long. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > bodyBytesMax) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
