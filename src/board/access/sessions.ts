import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { BoardRight, BoardSession } from "../../contract/board.ts";
import { readJson } from "../../core/text/read-json.ts";
import { field } from "../../core/values/fields.ts";
import { replaceFile } from "../../workspace/files/replace-file.ts";
import { boardFolder } from "./links.ts";

const idleMsMax = 12 * 60 * 60 * 1000;
const challengeMsMax = 30_000;
const sessionsMax = 100;
const idForm = /^[\w-]{22}$/;
const nonceForm = /^[\w-]{16,100}$/;

interface Open {
  readonly session: string;
  readonly may: BoardRight;
  usedMs: number;
}

/**
 * The sessions of pages. A bearer token is known only to the process that issued it: if another program takes the port
 * after this process has ended, a token that a page sends to it is worth nothing. A page that stays open gets a new token
 * from the next process with its key, which is never sent: each side proves that it knows the key, the server first. Both
 * sign the address at which they see each other, so that a program at the old port cannot pass their words on to a server
 * at another one.
 */
export class Sessions {
  readonly #folder: string;
  /** By the digest of the token. */
  readonly #open = new Map<string, Open>();
  readonly #challenges = new Map<string, { readonly nonce: string; readonly atMs: number }>();

  constructor(stateFolder: string) {
    this.#folder = boardFolder(stateFolder);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  start(may: BoardRight): BoardSession {
    const session = randomBytes(16).toString("base64url");
    return this.#issue(session, may, this.#renewKey(session, may));
  }

  /** The session that a token belongs to. */
  find(token: string): { readonly session: string; readonly may: BoardRight } | undefined {
    const found = this.#open.get(digest(token));
    if (found === undefined) return undefined;
    const now = Date.now();
    if (now - found.usedMs > idleMsMax) this.#open.delete(digest(token));
    else found.usedMs = now;
    return now - found.usedMs > idleMsMax ? undefined : found;
  }

  /** A new key for a page that was loaded again and has lost its key. */
  rekey(session: string, may: BoardRight): string {
    return this.#renewKey(session, may);
  }

  /** The server's proof that it knows the key, and its own nonce. `host`: the address that the page asked. */
  challenge(
    host: string,
    { session, nonce }: Record<"session" | "nonce", unknown>,
  ): { readonly nonce: string; readonly proof: string } | undefined {
    const known = this.#readKey(session);
    if (known === undefined || typeof session !== "string") return undefined;
    if (typeof nonce !== "string" || !nonceForm.test(nonce)) return undefined;
    const own = randomBytes(16).toString("base64url");
    this.#challenges.set(session, { nonce: own, atMs: Date.now() });
    return { nonce: own, proof: sign(known.key, `server ${host} ${nonce} ${own}`) };
  }

  /** A new token for a page that answers the challenge. */
  resume(
    host: string,
    { session, nonce, answer }: Record<"session" | "nonce" | "answer", unknown>,
  ): BoardSession | undefined {
    const known = this.#readKey(session);
    if (known === undefined || typeof session !== "string") return undefined;
    const asked = this.#challenges.get(session);
    this.#challenges.delete(session);
    if (asked === undefined || Date.now() - asked.atMs > challengeMsMax) return undefined;
    if (typeof nonce !== "string" || typeof answer !== "string") return undefined;
    if (!isSame(answer, sign(known.key, `page ${host} ${asked.nonce} ${nonce}`))) return undefined;
    return this.#issue(session, known.may, this.#renewKey(session, known.may));
  }

  #issue(session: string, may: BoardRight, key: string): BoardSession {
    const token = randomBytes(32).toString("base64url");
    for (const [known, open] of this.#open) if (open.session === session) this.#open.delete(known);
    this.#open.set(digest(token), { session, may, usedMs: Date.now() });
    const [oldest] = this.#open.keys();
    if (this.#open.size > sessionsMax && oldest !== undefined) this.#open.delete(oldest);
    return { token, session, key, may };
  }

  #renewKey(session: string, may: BoardRight): string {
    this.#tidy();
    const key = randomBytes(32).toString("base64url");
    replaceFile(this.#fileOf(session), JSON.stringify({ key, may }));
    return key;
  }

  #readKey(session: unknown): { readonly key: string; readonly may: BoardRight } | undefined {
    if (typeof session !== "string" || !idForm.test(session)) return undefined;
    const file = this.#fileOf(session);
    if (isOld(file)) return undefined;
    const document = readJson(readFileSync(file, "utf8"));
    const [key, may] = [field(document, "key"), field(document, "may")];
    return typeof key === "string" && (may === "act" || may === "look") ? { key, may } : undefined;
  }

  #tidy(): void {
    for (const name of readdirSync(this.#folder))
      if (name.startsWith("session-") && isOld(join(this.#folder, name)))
        rmSync(join(this.#folder, name), { force: true });
  }

  #fileOf(session: string): string {
    return join(this.#folder, `session-${session}`);
  }
}

function isOld(file: string): boolean {
  const at = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return at === undefined || Math.abs(Date.now() - at) > idleMsMax;
}

function digest(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function sign(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
