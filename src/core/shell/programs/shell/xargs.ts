import type { Options } from "../../read-options.ts";
import { known, literal, type Text, unknownText } from "../../text.ts";
import type { Call, Effects } from "../../types.ts";
import type { Hook, Row } from "../row/row.ts";
import { hasMark, itemsOf, replaceMark, splitQuoted } from "./split-quoted.ts";

/** Above this number, the runs are treated as one with unknown arguments. */
const runsMax = 256;

const runsItems: Hook = (options, effects, call) => {
  if (options.operands.length === 0) return;
  const mark = options.has("I", "i", "J") ? markOf(options) : undefined;
  const items = inputItems(call, options, mark !== undefined);
  if (mark !== undefined) runReplacing(options.operands, mark, items, effects);
  else runAppending(options, items, effects);
};

function markOf(options: Options): string {
  const mark = options.value("I", "i", "J");
  return mark === undefined ? "{}" : (known(mark) ?? "{}");
}

/** The items on standard input; one unknown text if only the run decides. */
function inputItems(call: Call, options: Options, byLine: boolean): readonly Text[] {
  if (options.has("a")) return [unknownText];
  if (call.input.kind === "none") return [];
  if (call.input.kind !== "text") return [unknownText];
  const { text } = call.input;
  if (options.has("0")) return itemsOf(text, "\0");
  const delimiter = options.value("d");
  if (delimiter !== undefined) return itemsOf(text, delimiterOf(known(delimiter)));
  if (byLine) return itemsOf(text, "\n");
  const spelled = known(text);
  if (spelled === undefined) return itemsOf(text, " \t\n");
  // xargs does not interpret a dollar. Text that cannot be split is unknown.
  return splitQuoted(spelled.replaceAll("$", "\u{fffd}"))?.map(withDollars) ?? [unknownText];
}

function withDollars(word: Text): Text {
  return literal((known(word) ?? "").replaceAll("\u{fffd}", "$"));
}

function delimiterOf(spelled: string | undefined): string {
  const escapes: Readonly<Record<string, string>> = { "\\n": "\n", "\\t": "\t", "\\0": "\0" };
  return escapes[spelled ?? ""] ?? spelled ?? "\n";
}

function runReplacing(words: readonly Text[], mark: string, items: readonly Text[], effects: Effects): void {
  const chosen = items.length > runsMax ? [unknownText] : items;
  for (const item of chosen) {
    effects.run(
      words.map((word) => replaceMark(word, mark, item)),
      { input: { kind: "none" } },
    );
  }
  if (chosen.length === 0 && !hasMark(words, mark)) effects.run(words, { input: { kind: "none" } });
}

function runAppending(options: Options, items: readonly Text[], effects: Effects): void {
  const count = Number(known(options.value("n", "L", "l") ?? literal("")) || Number.POSITIVE_INFINITY);
  const size = Number.isInteger(count) && count > 0 ? count : Math.max(items.length, 1);
  const batches: Text[][] = [];
  for (let at = 0; at < items.length; at += size) batches.push(items.slice(at, at + size));
  if (batches.length === 0 && !options.has("r")) batches.push([]);
  const chosen = batches.length > runsMax ? [[unknownText]] : batches;
  for (const batch of chosen) effects.run([...options.operands, ...batch], { input: { kind: "none" } });
}

export const xargs: Row = {
  names: "xargs",
  wrapper: true,
  values: "a,arg-file d,delimiter E I L n,max-args P,max-procs s,max-chars R J S process-slot-var",
  glued: "i,replace l,max-lines e,eof",
  flags: "0,null t,verbose r,no-run-if-empty p,interactive x,exit o,open-tty",
  also: runsItems,
  match: ["echo a b | xargs touch -> a b", "echo a | xargs -I {} touch d/{} -> d/a", "cat f | xargs rm -> ?"],
  no_match: ["ls | xargs cat", "xargs"],
};
