import { createHmac } from "node:crypto";
import { readdirSync, utimesSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boardFolder, mintLink, takeLink } from "../../src/board/access/links.ts";
import type { BoardSession } from "../../src/contract/board.ts";
import { type BoardGround, boardGround } from "../support/board-ground.ts";
import { keyOf, shopLedger } from "../support/shop-ledger.ts";

let ground: BoardGround;

beforeAll(async () => {
  ground = await boardGround();
  const shopping = shopLedger(ground);
  await shopping.add("T-1", { title: "Prices", scope: ["src/price.js"] });
  await shopping.start("T-1");
});
afterAll(() => ground[Symbol.asyncDispose]());

interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Record<string, unknown>;
}

/** A request with arbitrary headers, as any program can send it. */
function send(
  path: string,
  {
    method = "GET",
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Sent> {
  const { port } = ground.server();
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        agent: false,
        headers: { host: `127.0.0.1:${port}`, ...headers },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
        });
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: text.startsWith("{") ? JSON.parse(text) : {},
          }),
        );
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

const own = () => `http://127.0.0.1:${ground.server().port}`;

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Sent> {
  return send(path, {
    method: "POST",
    headers: {
      origin: own(),
      "sec-fetch-site": "same-origin",
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

const bearer = ({ token }: Pick<BoardSession, "token">) => ({ authorization: `Bearer ${token}` });

async function open(may: "act" | "look" = "act"): Promise<BoardSession> {
  const { body } = await post("/api/open", { link: mintLink(ground.place.folder, may) });
  return body as unknown as BoardSession;
}

const stop = () => ({ do: "stop", task: keyOf("T-1") });
const state = async () => (await ground.engine.ledger.task(keyOf("T-1")))?.state;

describe("a request", () => {
  it("is refused before routing if Host does not name the board, also for the page itself", async () => {
    const { port } = ground.server();
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1",
      `127.0.0.1:${port}.evil.example`,
      `127.0.0.2:${port}`,
    ])
      for (const path of ["/", "/board.js", "/api/overview", "/nothing"])
        expect((await send(path, { headers: { host } })).status, `${host}${path}`).toBe(403);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`])
      expect((await send("/", { headers: { host } })).status).toBe(200);
  });

  it("of another site's script is refused, with a token and without", async () => {
    const session = await open();
    const foreign = [
      { origin: "http://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const headers of foreign) {
      expect(
        (await send("/api/overview", { headers: { ...bearer(session), ...headers } as never })).status,
        JSON.stringify(headers),
      ).toBe(403);
      expect(
        (await post("/api/act", stop(), { ...bearer(session), ...headers } as never)).status,
        JSON.stringify(headers),
      ).toBe(403);
    }
    // Another port of this machine is another site: an agent's development server, for example.
    expect(
      (await post("/api/act", stop(), { ...bearer(session), origin: "http://127.0.0.1:3000" })).status,
    ).toBe(403);
    expect(await state()).toBe("IN_PROGRESS");
  });

  it("that changes something needs an Origin and JSON; a form of another page has neither", async () => {
    const session = await open();
    const form = (headers: Record<string, string>) =>
      send("/api/act", {
        method: "POST",
        headers: { ...bearer(session), ...headers },
        body: JSON.stringify(stop()),
      });
    expect((await form({ "content-type": "application/json" })).status).toBe(403);
    expect((await form({ origin: own(), "content-type": "text/plain" })).status).toBe(415);
    expect((await form({ origin: own(), "content-type": "application/x-www-form-urlencoded" })).status).toBe(
      415,
    );
    expect((await form({ origin: own(), "content-type": "application/json, text/plain" })).status).toBe(415);
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"])
      expect(
        (await send("/api/act", { method, headers: { origin: own(), ...bearer(session) } })).status,
        method,
      ).toBe(405);
    expect(await state()).toBe("IN_PROGRESS");
  });

  it("without a token, or with another one, reads and changes nothing", async () => {
    const wrong = [
      {},
      { authorization: "Bearer" },
      { authorization: `Bearer ${"a".repeat(43)}` },
      { cookie: "token=1" },
    ];
    for (const headers of wrong) {
      for (const view of ["overview", "needs", "tasks", "task?task=x", "log", "stream", "diff", "guard"])
        expect((await send(`/api/${view}`, { headers: headers as never })).status, view).toBe(401);
      expect((await post("/api/act", stop(), headers as never)).status).toBe(401);
    }
  });

  it("gets no cookie, no permission for other origins, and the strictest policy", async () => {
    const session = await open();
    for (const path of ["/", "/board.js", "/task/T-1", "/api/overview", "/nothing"]) {
      const { headers } = await send(path, { headers: bearer(session) });
      expect(headers["set-cookie"]).toBe(undefined);
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect(headers["content-security-policy"]).toMatch(
        /^default-src 'none'; script-src 'self';.*frame-ancestors 'none'/,
      );
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      });
    }
  });

  it("with a body that is too long, not JSON, or not a request, is refused with a message", async () => {
    const session = await open();
    expect((await post("/api/act", { text: "x".repeat(70_000) }, bearer(session))).status).toBe(413);
    for (const body of [
      {},
      { do: "delete" },
      { do: "stop" },
      { do: "stop", task: 5 },
      { do: "decide", id: "UD-1", answer: " " },
      { do: "stop", task: "T-1", more: 1 },
    ])
      expect((await post("/api/act", body, bearer(session))).body, JSON.stringify(body)).toMatchObject({
        ok: false,
        code: "R-IN-001",
      });
    expect((await send("/api/__proto__", { headers: bearer(session) })).status).toBe(404);
    expect((await send("/api/../overview", { headers: bearer(session) })).status).toBe(404);
    expect((await send("/../../etc/passwd")).status).toBe(404);
  });
});

describe("a link", () => {
  it("opens the board once", async () => {
    const link = mintLink(ground.place.folder, "act");
    const opened = await Promise.all([1, 2, 3].map(() => post("/api/open", { link })));
    expect(opened.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect((await post("/api/open", { link })).status).toBe(401);
  });

  it("expires after a minute, and only its digest is stored on disk", () => {
    const { folder } = ground.place;
    const link = mintLink(folder, "act");
    const files = readdirSync(boardFolder(folder));
    expect(files.join(" ")).not.toContain(link);
    const late = new Date(Date.now() - 61_000);
    for (const file of files.filter((name) => name.startsWith("link-")))
      utimesSync(join(boardFolder(folder), file), late, late);
    expect(takeLink(folder, link)).toBe(undefined);
    for (const wrong of ["", "../../state.db", "x".repeat(43), null, 5])
      expect(takeLink(folder, wrong)).toBe(undefined);
  });

  it("that was not created at a terminal opens a read-only page", async () => {
    const session = await open("look");
    expect((await send("/api/overview", { headers: bearer(session) })).body).toMatchObject({ may: "look" });
    expect(await post("/api/act", stop(), bearer(session))).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining("lockstep board") },
    });
    expect(await state()).toBe("IN_PROGRESS");
  });
});

describe("after the server has restarted", () => {
  const sign = (key: string, text: string) => createHmac("sha256", key).update(text).digest("base64url");
  const nonce = "n".repeat(22);
  const host = () => `127.0.0.1:${ground.server().port}`;

  it("an old token is invalid, and a page resumes only with its key, after the server has proven its identity", async () => {
    const { token, session, key } = await open();
    await ground.restart();
    expect((await send("/api/overview", { headers: bearer({ token }) })).status).toBe(401);
    const asked = (await post("/api/challenge", { session, nonce })).body as { nonce: string; proof: string };
    expect(asked.proof).toBe(sign(key, `server ${host()} ${nonce} ${asked.nonce}`));
    expect(
      (
        await post("/api/resume", {
          session,
          nonce,
          answer: sign("another", `page ${host()} ${asked.nonce} ${nonce}`),
        })
      ).status,
    ).toBe(401);
    // A challenge can be answered once.
    expect(
      (
        await post("/api/resume", {
          session,
          nonce,
          answer: sign(key, `page ${host()} ${asked.nonce} ${nonce}`),
        })
      ).status,
    ).toBe(401);
    const again = (await post("/api/challenge", { session, nonce })).body as { nonce: string };
    const { body } = await post("/api/resume", {
      session,
      nonce,
      answer: sign(key, `page ${host()} ${again.nonce} ${nonce}`),
    });
    expect((await send("/api/overview", { headers: bearer(body as unknown as BoardSession) })).status).toBe(
      200,
    );
    // The old key is invalid too.
    expect((body as unknown as BoardSession).key).not.toBe(key);
  });

  it("a program at the old port cannot relay a page's messages to a server at another one", async () => {
    const { session, key } = await open();
    const elsewhere = "127.0.0.1:1";
    const asked = (await post("/api/challenge", { session, nonce })).body as { nonce: string; proof: string };
    // The proof that the page would expect, and its answer, for the address at which it was opened.
    expect(asked.proof).not.toBe(sign(key, `server ${elsewhere} ${nonce} ${asked.nonce}`));
    const answer = sign(key, `page ${elsewhere} ${asked.nonce} ${nonce}`);
    expect((await post("/api/resume", { session, nonce, answer })).status).toBe(401);
    // The proof for `lockstep board` is for this address too, and is not valid for hooks.
    const { proof } = (await send(`/api/proof?nonce=${nonce}`)).body;
    expect(proof).toBe(`proof of board ${host()} ${nonce}`);
  });

  it("a session that was never opened cannot be resumed", async () => {
    for (const session of ["", "x".repeat(22), "../../../etc/passwd", null])
      expect((await post("/api/challenge", { session, nonce })).status).toBe(401);
  });
});

it("an action on the page is recorded as a person's, via the board", async () => {
  const session = await open();
  expect((await post("/api/act", stop(), bearer(session))).body).toMatchObject({ ok: true });
  const [event] = await ground.engine.ledger.events({ task: keyOf("T-1"), type: "task.stopped" });
  expect(event).toMatchObject({ actor: "person", data: { via: "board" } });
  expect((await post("/api/act", stop(), bearer(session))).body).toMatchObject({
    ok: false,
    code: "R-ST-001",
  });
});
