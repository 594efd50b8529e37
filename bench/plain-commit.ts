import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { scratchProject } from "./scratch-project.ts";
import { nowMs } from "./statistics.ts";

/** The lowest cost of storing anything durably: one row, one transaction that waits for the disk. */
export interface PlainCommits extends Disposable {
  /** Returns the time in ms. */
  commit(): number;
}

export function plainCommits(): PlainCommits {
  const scratch = scratchProject();
  const database = new DatabaseSync(join(scratch.path, "plain.db"));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE plain (body TEXT)");
  const begin = database.prepare("BEGIN IMMEDIATE");
  const insert = database.prepare("INSERT INTO plain VALUES (?)");
  const commit = database.prepare("COMMIT");
  const body = "one row ".repeat(128);
  return {
    commit() {
      const start = nowMs();
      begin.run();
      insert.run(body);
      commit.run();
      return nowMs() - start;
    },
    [Symbol.dispose]() {
      database.close();
      scratch[Symbol.dispose]();
    },
  };
}
