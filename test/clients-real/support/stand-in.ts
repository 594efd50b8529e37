import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** One request to the stand-in. */
export interface Asked {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text as JSON, or undefined if it is not JSON. */
  readonly body: unknown;
}

export interface Answer {
  /** 200 by default. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is a text. */
  readonly body: unknown;
}

export interface StandIn extends AsyncDisposable {
  readonly url: string;
  /** All requests so far. */
  readonly asked: readonly Asked[];
}

/** A local server in the place of a model's server. */
export async function standIn(handler: (asked: Asked) => Answer | Promise<Answer>): Promise<StandIn> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { method = "", url: path = "", headers } = request;
    const one = { method, path, headers, text, body: parsed(text) };
    asked.push(one);
    const { status = 200, headers: own = {}, body } = await handler(one);
    const type = typeof body === "string" ? "text/event-stream" : "application/json";
    response.writeHead(status, { "content-type": type, ...own });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The model's turn: a text, and tool calls or the end. */
export interface Turn {
  readonly text?: string;
  readonly calls?: readonly ModelCall[];
  readonly usage?: { readonly input: number; readonly cached: number; readonly output: number };
  /** Runs before the turn is sent: the calls of the turn before have ended by then. */
  before?(): void;
}

export interface ModelCall {
  readonly name: string;
  readonly input: unknown;
  /** Only in OpenAI's newer API. */
  readonly namespace?: string;
}

/** The answer to a call that the guard had no time to judge. */
const late = /it took longer than \d+ s|did not answer within \d+ ms|did not answer in time/g;
const lateMax = 50;

/**
 * Turns in their order, or answers such as a refusal; a repeated request gets the same one again. A call that the guard
 * had no time for is repeated, so that a slow machine changes nothing.
 */
function scripted(turns: readonly (Turn | Answer)[]): (request: string) => Turn | Answer {
  const given = new Map<string, Turn | Answer>();
  let [next, lateCount, repeated] = [0, 0, 0];
  return (request) => {
    const known = given.get(request);
    if (known !== undefined) return known;
    const count = request.match(late)?.length ?? 0;
    if (count > lateCount && repeated < lateMax) {
      next -= 1;
      repeated += 1;
    }
    lateCount = count;
    const turn = turns[next] ?? over;
    next += 1;
    given.set(request, turn);
    if (!isAnswer(turn)) turn.before?.();
    return turn;
  };
}

/** Part of the main agent's prompt; a request without it comes from a subagent. */
export const personsWord = "as-the-person-said";

export interface Script {
  readonly turns: readonly (Turn | Answer)[];
  /** The turns of a subagent. The main agent's last turn waits for them: some clients let both run in parallel. */
  readonly delegated: readonly Turn[];
}

const subagentMsMax = 20_000;

/** A script of which each conversation gets its own part. */
export function scriptedFor({ turns, delegated }: Script): (request: string) => Promise<Turn | Answer> {
  const [main, sub] = [scripted(turns), scripted(delegated)];
  const waiting = new Set(delegated);
  let lastMs = 0;
  return async (request) => {
    if (delegated.length > 0 && !request.includes(personsWord)) {
      const turn = sub(request);
      lastMs = Date.now();
      waiting.delete(turn as Turn);
      return turn;
    }
    const turn = main(request);
    if (turn === turns.at(-1)) lastMs = Date.now();
    // A client whose subagent was refused has nothing to wait for.
    while (turn === turns.at(-1) && waiting.size > 0 && Date.now() - lastMs < subagentMsMax) await sleep(50);
    return turn;
  };
}

const over: Answer = { status: 400, body: { error: { message: "the script has no more turns" } } };

export function isAnswer(turn: Turn | Answer): turn is Answer {
  return "body" in turn;
}

/** Server-sent events, with names if the API has names. */
export function eventStream(events: readonly { readonly name?: string; readonly data: unknown }[]): string {
  return events
    .map(({ name, data }) => {
      const line = `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
      return name === undefined ? line : `event: ${name}\n${line}`;
    })
    .join("");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
