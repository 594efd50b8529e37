import { existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { removeFolder } from "../files/remove-folder.ts";
import { replaceFile } from "../files/replace-file.ts";
import { isBelow } from "../sandbox/plan-mounts.ts";
import type { PlacedFolder } from "../sandbox/sandbox.ts";
import { bringConversation, type Side } from "./bring-conversation.ts";
import type { ClientHome, ConversationName } from "./client-home.ts";
import { LoginExchange } from "./login-exchange.ts";
import { clearPlain, readOwn } from "./plain-files.ts";

const copyBytesMax = 1024 * 1024;
const exchangeMs = 1_000;

/** The folders that replace the user's client folders for an agent. They are in the agent's slot and removed with it. */
export class AgentHome {
  readonly #folder: string;
  readonly #home: ClientHome;
  readonly #logins: readonly LoginExchange[];

  /** @param slot The folder that contains the checkout; agents cannot write it. */
  constructor(slot: string, home: ClientHome) {
    this.#folder = join(slot, "homes", home.name);
    this.#home = home;
    this.#logins = home.folders.flatMap(({ path, logins }, at) =>
      logins.map((login) => {
        const record = join(this.#folder, `${at}-${login.file}.given`);
        return new LoginExchange(login, { person: path, agent: this.#own(at) }, record);
      }),
    );
  }

  /** False if no client was started here in the sandbox. */
  get exists(): boolean {
    return existsSync(this.#folder);
  }

  /** Resets the folders before a start. Conversations of earlier starts stay, and so does a refreshed login. */
  prepare(resumed?: ConversationName): void {
    this.exchangeLogins();
    for (const [at, { path, shows, copies, keeps }] of this.#home.folders.entries()) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      const own = this.#own(at);
      mkdirSync(own, { recursive: true, mode: 0o700 });
      for (const name of readdirSync(own))
        if (!keeps.includes(name) || isLink(join(own, name))) removeFolder(join(own, name));
      for (const name of shows) clearPlain(own, name);
      for (const name of copies) {
        const content = readOwn(join(path, name), copyBytesMax);
        if (content !== undefined) replaceFile(join(own, name), content, { durable: true });
      }
    }
    for (const login of this.#logins) login.give();
    if (resumed !== undefined) this.#bring(resumed, { from: this.#person, to: this.#agent });
  }

  /** Passes refreshed logins between user and agent until disposed, so that several agents can share a login. */
  follow(): Disposable {
    const timer = setInterval(() => this.exchangeLogins(), exchangeMs).unref();
    return {
      [Symbol.dispose]: () => {
        clearInterval(timer);
        this.exchangeLogins();
      },
    };
  }

  /** Errors of the disk are ignored: the exchange is tried again later, at the latest at the next start. */
  exchangeLogins(): void {
    for (const login of this.#logins) {
      try {
        login.exchange();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      }
    }
  }

  /** Copies a conversation to the user who takes over the task; returns why that failed. */
  giveBack(name: ConversationName): string | undefined {
    return this.exists ? this.#bring(name, { from: this.#agent, to: this.#person }) : undefined;
  }

  placed(): readonly PlacedFolder[] {
    return this.#home.folders.map(({ path, shows }, at) => ({
      at: path,
      from: this.#own(at),
      shown: shows.filter((name) => existsSync(join(path, name))),
    }));
  }

  /** The path outside the sandbox for a path that the client uses. */
  outside(path: string): string {
    const at = this.#home.folders.findIndex((folder) => folder.path === path || isBelow(folder.path, path));
    return at < 0 ? path : join(this.#own(at), path.slice(this.#home.folders[at]?.path.length));
  }

  get #person(): Side {
    return { root: this.#home.folders[0]?.path ?? "", whose: "person" };
  }

  get #agent(): Side {
    return { root: this.#own(0), whose: "agent" };
  }

  #bring(name: ConversationName, sides: { readonly from: Side; readonly to: Side }): string | undefined {
    const { conversation } = this.#home;
    return "file" in conversation ? bringConversation(conversation, name, sides) : undefined;
  }

  #own(at: number): string {
    return join(this.#folder, String(at));
  }
}

function isLink(path: string): boolean {
  return lstatSync(path).isSymbolicLink();
}
