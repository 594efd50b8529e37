import { readFileSync } from "node:fs";
import { stateWords, type TaskState } from "../../core/tasks/states.ts";
import { projectFile, replaceFile } from "../files/replace-file.ts";
import { sessionOfCopy } from "./session-folder.ts";
import { type CutPlan, cutPlan, joinPlan } from "./status-words.ts";

/** A cache: parsing a long plan takes a second, and it has rarely changed since the last write. */
let lastWritten: { readonly text: string; readonly cut: CutPlan } | undefined;

/**
 * Updates the statuses in a session's copy of a plan and leaves every other byte unchanged. Returns the ids that the copy
 * does not have.
 */
export function writeStatuses(file: string, states: ReadonlyMap<string, TaskState>): readonly string[] {
  if (sessionOfCopy(file) === undefined) throw new Error(`\`${file}\` is not a session's copy of a plan`);
  const text = readFileSync(file, "utf8");
  const before = lastWritten?.text === text ? lastWritten.cut : cutPlan(text);
  const cut = withStates(before, states);
  const updated = joinPlan(cut);
  if (updated !== text) replaceFile(file, updated, projectFile);
  lastWritten = { text: updated, cut };
  const ids = new Set(cut.words.map(({ id }) => id));
  return [...states.keys()].filter((id) => !ids.has(id));
}

/** The text of a plan with these statuses in it. */
export function withStatuses(text: string, states: ReadonlyMap<string, TaskState>): string {
  return joinPlan(withStates(cutPlan(text), states));
}

/** The text of a plan with every task set to not started. */
export function withoutProgress(text: string): string {
  const cut = cutPlan(text);
  return joinPlan(withStates(cut, new Map(cut.words.map(({ id }) => [id, "PENDING"]))));
}

function withStates({ pieces, words }: CutPlan, states: ReadonlyMap<string, TaskState>): CutPlan {
  return {
    pieces,
    words: words.map((one) => {
      const state = states.get(one.id);
      const word = state === undefined ? one.word : stateWords[state].plan;
      return word === undefined || word === one.word ? one : { ...one, word, shown: one.lead + word };
    }),
  };
}
