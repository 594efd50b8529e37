import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import {
  agentEnvironment,
  type Dispatched,
  type GuardedRepository,
  guardedRepository,
} from "./guarded-repository.ts";

interface StrayOptions {
  readonly by?: Dispatched;
  readonly folder?: string;
}

/** A guarded repository with task T-A, which holds src/a/**, and calls with unknown writes. */
export interface StrayGround extends Disposable {
  readonly repository: GuardedRepository;
  at(path: string): string;
  text(path: string): string;
  status(): string;
  /** A call of an MCP server's tool with unknown argument names. */
  mcp(input?: object, more?: object): object;
  /** The guard's answer to an event. */
  said(payload: object, options?: StrayOptions): Promise<string>;
  /** The call runs with this effect; returns the guard's answer afterwards. */
  calls(act: () => void, payload?: object, options?: StrayOptions): Promise<string>;
  /** The events of the ledger. */
  strayed(): Promise<readonly { readonly target: string; readonly reason: string }[]>;
}

export async function strayGround(): Promise<StrayGround> {
  const repository = guardedRepository();
  const own = await repository.dispatch("T-A", ["src/a/**"]);
  const { path } = repository;
  const mcp = (input: object = { where: "here" }, more: object = {}) => ({
    ...{ session_id: "s1", cwd: path, hook_event_name: "PreToolUse", tool_use_id: "t1" },
    ...{ tool_name: "mcp__notes__publish", tool_input: input, ...more },
  });
  const said = async (payload: object, { by = own, folder = path }: StrayOptions = {}) => {
    const { exit, stderr, stdout } = await repository.guard(payload, { env: agentEnvironment(by), folder });
    return exit === 0 ? `allowed ${stdout}`.trim() : stderr;
  };
  return {
    repository,
    at: (file) => join(path, file),
    text: (file) => readFileSync(join(path, file), "utf8"),
    status: () => repository.git("status", "--porcelain", "--untracked-files=all"),
    mcp,
    said,
    async calls(act, payload = mcp(), options = {}) {
      expect(await said(payload, options)).toMatch(/^allowed/);
      act();
      return said(ended(payload), options);
    },
    strayed: async () => {
      const found = await repository.withEngine(({ ledger }) => ledger.events({ type: "guard.strayed" }));
      return found.map(({ data }) => data as { target: string; reason: string });
    },
    [Symbol.dispose]: () => {
      repository[Symbol.dispose]();
      rmSync(`${path}-tree`, { recursive: true, force: true });
    },
  };
}

export function ended(call: object): object {
  return { ...call, hook_event_name: "PostToolUse", tool_response: {} };
}

/** The ref on which the guard saved the changes outside the lock. */
export function refIn(message: string): string {
  return /kept on `(refs\/lockstep\/strayed\/\S+?)`/.exec(message)?.[1] ?? "no ref";
}
