import type {
  Acted,
  ActRequest,
  BoardRight,
  BoardSession,
  Changed,
  Cost,
  Diff,
  GuardView,
  HistoryItem,
  Landed,
  Locks,
  Needs,
  Overview,
  PlanGraph,
  TaskList,
  TaskPage,
  TextPart,
  Timeline,
} from "../../contract/board.ts";

/** The documents of the server, by the name of their address. */
export interface Views {
  readonly overview: Overview;
  readonly needs: Needs;
  readonly tasks: TaskList;
  readonly task: TaskPage;
  readonly history: { readonly items: readonly HistoryItem[]; readonly before: number | null };
  readonly diff: Diff;
  readonly "diff-part": TextPart;
  readonly log: TextPart;
  readonly output: TextPart;
  readonly documents: TextPart;
  readonly timeline: Timeline;
  readonly locks: Locks;
  readonly landed: Landed;
  readonly guard: GuardView;
  readonly cost: Cost;
  readonly plan: PlanGraph;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/** `open`: the page is not, or no longer, known to the server. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const stored = "lockstep-board";

/** The only way from the page to the server. */
export class Client {
  #token: string | undefined;
  #session: string | undefined;
  /** In memory only, see `resume`. */
  #key: string | undefined;
  may: BoardRight = "look";

  /** Opens the page with the link in its address, or with the token of this tab. */
  async open(): Promise<void> {
    const link = location.hash.slice(1);
    if (link !== "") {
      history.replaceState(null, "", location.pathname + location.search);
      this.#keep(await this.#post<BoardSession>("open", { link }));
      return;
    }
    const token = sessionStorage.getItem(stored);
    if (token === null) throw new Refused(401, "this page is not open: run `lockstep board`");
    this.#token = token;
    this.#keep({ ...(await this.#post<Omit<BoardSession, "token">>("key", {})), token });
  }

  async get<Name extends keyof Views>(
    name: Name,
    query: Query = {},
    stop?: AbortSignal,
  ): Promise<Views[Name]> {
    const response = await this.#fetch(`${name}${search(query)}`, stop === undefined ? {} : { signal: stop });
    return (await response.json()) as Views[Name];
  }

  act(request: ActRequest): Promise<Acted> {
    return this.#post<Acted>("act", request);
  }

  /** Calls back for every message until the connection ends. */
  async listen(after: number, heard: (changed: Changed) => void, stop: AbortSignal): Promise<void> {
    const response = await this.#fetch(`stream?after=${after}`, { signal: stop });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done = true, value = "" } = (await reader?.read()) ?? {};
      if (done) return;
      const parts = (rest + value).split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const data = part.split("\n").find((line) => line.startsWith("data: "));
        if (data !== undefined) heard(JSON.parse(data.slice("data: ".length)) as Changed);
      }
    }
  }

  /**
   * After the server has restarted: it shows first that it knows the key of this page, because another program could
   * have taken its port. The key itself is never sent.
   */
  async resume(): Promise<void> {
    const [session, key] = [this.#session, this.#key];
    if (session === undefined || key === undefined) throw new Refused(401, "this page cannot be resumed");
    const nonce = randomText();
    const asked = await this.#post<{ readonly nonce: string; readonly proof: string }>("challenge", {
      session,
      nonce,
    });
    if (asked.proof !== (await sign(key, `server ${location.host} ${nonce} ${asked.nonce}`)))
      throw new Refused(403, "another program answers at this address: close this page");
    const answer = await sign(key, `page ${location.host} ${asked.nonce} ${nonce}`);
    this.#keep(await this.#post<BoardSession>("resume", { session, nonce, answer }));
  }

  #keep({ token, session, key, may }: BoardSession): void {
    this.#token = token;
    this.#session = session;
    this.#key = key;
    this.may = may;
    sessionStorage.setItem(stored, token);
  }

  async #post<Answer>(name: string, body: object): Promise<Answer> {
    const response = await this.#fetch(name, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Answer;
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const authorization = this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
    const response = await fetch(`/api/${path}`, {
      ...init,
      headers: { ...(init.headers as Record<string, string> | undefined), ...authorization },
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
    });
    if (response.ok) return response;
    const told = (await response.json().catch(() => ({}))) as { readonly error?: string };
    throw new Refused(response.status, told.error ?? `the server answered ${response.status}`);
  }
}

function search(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}

function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(16)));
}

async function sign(key: string, text: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", encoder.encode(key), algorithm, false, ["sign"]);
  return base64url(new Uint8Array(await crypto.subtle.sign("HMAC", imported, encoder.encode(text))));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
