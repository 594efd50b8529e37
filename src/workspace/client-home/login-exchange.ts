import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { field } from "../../core/values/fields.ts";
import { fileMark } from "../files/file-mark.ts";
import { replaceFile } from "../files/replace-file.ts";
import type { Login } from "./client-home.ts";
import { readOwn, readPlain } from "./plain-files.ts";
import { isJson, refreshedLogin } from "./refreshed-login.ts";

const loginBytesMax = 1024 * 1024;
const recordBytesMax = 64 * 1024;

/** The digests of both sides at the last exchange; agents cannot write the record. */
interface Given {
  readonly person: string;
  readonly agent: string;
}

/**
 * A login that the user and one agent's client share. A refresh by the client is copied back to the user, unless the
 * user's login has changed in the meantime: then the agent gets that one. So no refresh overwrites a newer one.
 */
export class LoginExchange {
  readonly #login: Login;
  readonly #folders: { readonly person: string; readonly agent: string };
  readonly #record: string;
  #seen: string | undefined;

  constructor(login: Login, folders: { readonly person: string; readonly agent: string }, record: string) {
    this.#login = login;
    this.#folders = folders;
    this.#record = record;
  }

  /** Copies the user's login to the agent's client. */
  give(): void {
    const login = this.#read().person;
    if (login !== undefined) this.#giveAgent(login);
  }

  /** Updates the side that is older. Works after a crash too, because the record shows which side has changed. */
  exchange(): void {
    const seen = `${fileMark(this.#file.person)} ${fileMark(this.#file.agent)}`;
    if (seen === this.#seen) return;
    this.#update();
    this.#seen = seen; // not set if the update throws
  }

  #update(): void {
    const given = this.#given();
    const { person, agent } = this.#read();
    // A client that writes its file in place leaves it incomplete for a moment.
    if (given === undefined || person === undefined || !isJson(person)) return;
    if (digestOf(person) !== given.person) this.#giveAgent(person);
    else if (agent !== undefined && digestOf(agent) !== given.agent) this.#givePerson(person, agent);
  }

  #givePerson(person: string, agent: string): void {
    const refreshed = refreshedLogin(person, agent, this.#login.values);
    if (refreshed !== undefined) replaceFile(realpathSync(this.#file.person), refreshed, { durable: true });
    this.#remember(refreshed ?? person, agent);
  }

  get #file() {
    const { person, agent } = this.#folders;
    return { person: join(person, this.#login.file), agent: join(agent, this.#login.file) };
  }

  #read() {
    const agent = readPlain(this.#folders.agent, this.#login.file, loginBytesMax);
    return { person: readOwn(this.#file.person, loginBytesMax)?.toString(), agent: agent?.toString() };
  }

  #giveAgent(login: string): void {
    replaceFile(this.#file.agent, login, { durable: true });
    this.#remember(login, login);
  }

  #remember(person: string, agent: string): void {
    const given: Given = { person: digestOf(person), agent: digestOf(agent) };
    replaceFile(this.#record, JSON.stringify(given), { durable: true });
  }

  #given(): Given | undefined {
    const text = readPlain(dirname(this.#record), basename(this.#record), recordBytesMax);
    if (text === undefined) return undefined;
    const read: unknown = JSON.parse(text.toString());
    const [person, agent] = [field(read, "person"), field(read, "agent")];
    return typeof person === "string" && typeof agent === "string" ? { person, agent } : undefined;
  }
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
