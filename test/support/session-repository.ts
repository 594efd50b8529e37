import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "../../src/core/session/session.ts";
import type { Engine } from "../../src/engine/change/engine.ts";
import { askGate } from "../../src/engine/decisions/ask-gate.ts";
import { moveSession } from "../../src/engine/sessions/move-session.ts";
import { openSession } from "../../src/engine/sessions/open-session.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { memoryEngine, person } from "./memory-engine.ts";
import { type Repository, temporaryRepository } from "./run-command.ts";

export const sessionName = "2026-02-14_shop";
export const gateId = `${sessionName}/UD-APPROVE-DESIGN`;

/** A session that waits at the gate of its design. */
export async function sessionAtGate(engine: Engine, name = sessionName): Promise<void> {
  const given = { goal: "round prices", mode: "full", base: "main", baseCommit: "a".repeat(40) } as const;
  await openSession(engine, { name, ...given }, person);
  const facts = { spec: null, acceptance: null, architecture: null };
  for (const type of ["intake-done", "designed"] as const)
    await moveSession(engine, { session: name, event: { type }, facts }, person);
  const question = "is this the design to build?";
  const options = ["approved", "changes-requested: …"];
  await askGate(engine, { session: name, gate: "APPROVE_DESIGN", question, options }, person);
}

export interface SessionRepository extends Repository {
  /** Reads the content of the ledger without the command. */
  within<Result>(act: (engine: Engine) => Promise<Result>): Promise<Result>;
  session(): Promise<Session | undefined>;
  status(): Record<string, unknown>;
}

/** A repository whose ledger has a session that waits at the gate of its design. */
export async function sessionRepository(): Promise<SessionRepository> {
  const repository = temporaryRepository();
  const folder = join(repository.path, ".git", "lockstep");
  mkdirSync(folder, { mode: 0o700 });
  const within = async <Result>(act: (engine: Engine) => Promise<Result>) => {
    const ledger = await openSqliteLedger({ folder, create: true });
    try {
      return await act(await memoryEngine({ ledger }));
    } finally {
      ledger.close();
    }
  };
  await within(sessionAtGate);
  return {
    ...repository,
    within,
    session: () => within(({ ledger }) => ledger.session(sessionName)),
    status: () =>
      JSON.parse(
        readFileSync(join(repository.path, ".agents-work", sessionName, "status.json"), "utf8"),
      ) as Record<string, unknown>,
  };
}
