import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { sessionsFolder, viewFiles } from "../../core/names/session-paths.ts";
import { readEntries, Scope } from "../../core/paths/scope.ts";
import { maskSecrets } from "../../core/secrets/mask-secrets.ts";
import type { RunContext, ViewEdit } from "../../run/attempt/run-context.ts";
import { readOwn } from "../../run/attempt/session-files.ts";
import type { Checkout } from "../../workspace/checkouts/checkout.ts";
import { projectFile, replaceFile } from "../../workspace/files/replace-file.ts";
import { filesBelow, readSessionFile } from "./session-files.ts";

/** The files that a role has written in its copy of the session's folder. */
export interface Written {
  /** Inside its lock, with secrets masked: the path below the session's folder, and the text. */
  readonly files: ReadonlyMap<string, string>;
  /** Outside its lock: not kept. */
  readonly strayed: readonly string[];
  readonly edits: readonly ViewEdit[];
}

const views: readonly string[] = viewFiles;
/** Maintained by Lockstep; a role's version is handled elsewhere or ignored. */
const kept = /^(?:activeContext\.md|progress\.md|source\.json|approve-design-history\.jsonl|worklogs\/.*)$/;

export async function readWritten(
  { repository, session, engine, secrets }: Pick<RunContext, "repository" | "session" | "engine" | "secrets">,
  checkout: Pick<Checkout, "folder">,
  lock: readonly string[],
): Promise<Written> {
  const own = `${sessionsFolder}/${session}`;
  const read = readEntries(lock, engine.world.place);
  if ("error" in read) throw new Error(`a role's lock cannot be read: ${read.error}`);
  const scope = new Scope(read.entries, engine.world.place);
  const files = new Map<string, string>();
  const strayed: string[] = [];
  const edits: ViewEdit[] = [];
  for (const name of filesBelow(join(checkout.folder, own))) {
    const before = readSessionFile(repository.root, session, name);
    const after = readOwn(checkout, `${own}/${name}`).toString("utf8");
    if (before === after || (kept.test(name) && before !== undefined)) continue;
    if (scope.entryOf(`${own}/${name}`) !== undefined)
      files.set(name, await maskSecrets(secrets.mask(after)));
    else if (views.includes(name))
      edits.push({ file: name as ViewEdit["file"], before: before ?? "", after });
    else if (!kept.test(name)) strayed.push(name);
  }
  return { files, strayed, edits };
}

/** Each file is replaced atomically. */
export function keepWritten({ repository, session }: RunContext, files: ReadonlyMap<string, string>): void {
  for (const [name, text] of files) {
    const file = join(repository.root, sessionsFolder, session, name);
    mkdirSync(dirname(file), { recursive: true });
    replaceFile(file, text, projectFile);
  }
}
