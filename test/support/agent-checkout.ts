import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Checkout } from "../../src/workspace/checkouts/checkout.ts";
import {
  type OpenedCheckout,
  type OpenOptions,
  openCheckout,
} from "../../src/workspace/checkouts/open-checkout.ts";
import { type Repository, temporaryRepository } from "./run-command.ts";

export interface AgentRepository extends Repository {
  readonly commonFolder: string;
  /** The first commit. */
  readonly base: string;
  open(more?: Partial<OpenOptions>): Promise<OpenedCheckout>;
}

/** A repository whose checkouts for agents are removed with it. */
export function agentRepository(
  files: Readonly<Record<string, string>> = { "a.txt": "a\n" },
): AgentRepository {
  const repository = temporaryRepository(files);
  const { git, path } = repository;
  git("add", "-A");
  git("commit", "-qm", "base");
  const commonFolder = join(path, ".git");
  process.env.XDG_STATE_HOME = join(commonFolder, "state");
  const base = git("rev-parse", "HEAD");
  const first = {
    ...{ commonFolder, root: path, session: null, task: "T-1", attempt: 1, base, include: [".env"] },
    isContained: false,
  };
  return { ...repository, commonFolder, base, open: (more = {}) => openCheckout({ ...first, ...more }) };
}

/** The agent's actions in its checkout. */
export function agentIn({ folder }: Checkout) {
  const write = (path: string, text: string | Buffer) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const run = (...words: string[]) => {
    const [program = "", ...rest] = words;
    return execFileSync(program, rest, {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  };
  const git = (...words: string[]) =>
    run("git", "-c", "user.name=a", "-c", "user.email=a@localhost", ...words);
  return { write, run, git, remove: (path: string) => rmSync(join(folder, path), { recursive: true }) };
}
