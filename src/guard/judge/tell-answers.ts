import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScopeAnswer } from "../../engine/views/guard-facts.ts";
import { sweepFiles } from "../world/call-file.ts";
import type { GuardWorld, Judged } from "../world/guard-world.ts";
import type { Caller } from "../world/who-is-calling.ts";
import { listed } from "./answers.ts";
import type { Judging } from "./judge-task-call.ts";

const dayMs = 24 * 60 * 60 * 1000;
const prefix = "told-";

/** Reports a person's answer to a scope request once: with a tool result, or with the reason of a refusal. */
export function tellAnswers(
  { holder }: Extract<Caller, { kind: "task" }>,
  judged: Judged,
  { call, world }: Judging,
): Judged {
  const news = holder.answers.filter(
    ({ id, at }) => Date.now() - Date.parse(at) < dayMs && isNew(`${prefix}${holder.epoch}-${id}`, world),
  );
  if (news.length === 0) return judged;
  const { answer } = judged;
  const text = news.map(textOf).join("\n");
  if (call.event === "before-tool")
    return { ...judged, answer: { ...answer, reason: `${answer.reason}\n${text}` } };
  const context = [answer.context, text].filter((part) => part !== undefined).join("\n\n");
  return { ...judged, answer: { ...answer, context } };
}

function textOf({ id, paths, approved }: ScopeAnswer): string {
  return approved
    ? `Lockstep: a person approved ${id}: you may now also write ${listed(paths)}.`
    : `Lockstep: a person refused ${id}: continue without ${listed(paths)}.`;
}

/**
 * Kept in a file, because another process may answer the next call. In an agent's sandbox only its own folders are
 * writable.
 */
function isNew(name: string, { checkout, environment, stateFolder }: GuardWorld): boolean {
  const folder =
    checkout === undefined
      ? join(stateFolder, "calls")
      : join(environment.TMPDIR || "/tmp", `lockstep-${createHash("sha256").update(checkout).digest("hex")}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(join(folder, name), "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  sweepFiles(folder, prefix, Date.now() - 2 * dayMs);
  return true;
}
