import { openEngine } from "../../src/cli/open/open-engine.ts";
import type { NativeAnswer } from "../../src/contract/tool-call.ts";
import { guardEndpoint } from "../../src/guard/answer/open-endpoint.ts";
import { agentEnvironment, type GuardedRepository, guardedRepository } from "./guarded-repository.ts";

/** The guard of a running process, called for task T-A, which holds src/a/**; T-B holds src/b/**. */
export interface HeldGuard extends Disposable {
  readonly repository: GuardedRepository;
  answer(client: string, payload: object): Promise<NativeAnswer>;
  /** The same in a person's own session, whose agents have to claim a task. */
  answerPerson(client: string, payload: object): Promise<NativeAnswer>;
}

export async function heldGuard(): Promise<HeldGuard> {
  const repository = guardedRepository();
  const own = await repository.dispatch("T-A", ["src/a/**"]);
  await repository.dispatch("T-B", ["src/b/**"]);
  const before = [process.cwd(), process.env.PWD] as const;
  process.chdir(repository.path);
  process.env.PWD = repository.path;
  const opened = await openEngine();
  process.chdir(before[0]);
  process.env.PWD = before[1];
  const endpoint = guardEndpoint({ ...opened, isRunAlive: () => false });
  const machine = { PATH: process.env.PATH ?? "", TMPDIR: "/tmp" };
  const answerIn = (env: Readonly<Record<string, string>>) => (client: string, payload: object) =>
    endpoint(client, Buffer.from(JSON.stringify(payload)), { ...machine, ...env });
  return {
    repository,
    answer: answerIn(agentEnvironment(own)),
    answerPerson: answerIn({}),
    [Symbol.dispose]: () => {
      opened[Symbol.dispose]();
      repository[Symbol.dispose]();
    },
  };
}
