import type { Config } from "../../contract/config.ts";
import { sessionOfKey } from "../../core/names/task-name.ts";
import type { Engine } from "../../engine/change/engine.ts";
import type { Decision } from "../../ledger/ledger.ts";
import { isFleet } from "../../run/conduct/fleet/fleet.ts";
import { exchangeFiles } from "../../run/conduct/fleet/shared-session.ts";
import { keepVersion } from "./design-versions.ts";
import { readSessionFile } from "./session-files.ts";

interface Place {
  readonly engine: Engine;
  readonly config: Config;
  readonly root: string;
  readonly stateFolder: string;
}

/** Fetches the documents that open questions are about, if another machine has asked. Returns what went wrong. */
export async function fetchDesigns(
  { engine, config, root, stateFolder }: Place,
  decisions: readonly Pick<Decision, "task" | "state" | "data">[],
): Promise<readonly string[]> {
  if (!isFleet({ engine, config })) return [];
  const failed: string[] = [];
  for (const { task, state, data } of decisions) {
    const session = sessionOfKey(task);
    const documents = data?.documents ?? [];
    if (state !== "pending" || session === null || session === undefined || documents.length === 0) continue;
    const fetched = await exchangeFiles({ repository: { root }, config }, session, false);
    if (typeof fetched === "object")
      failed.push(`the files of ${session} cannot be fetched, so they may be old: ${fetched.why}`);
    for (const { file } of documents) {
      const text = readSessionFile(root, session, file);
      if (text !== undefined) keepVersion(stateFolder, file, text);
    }
  }
  return failed;
}
