import { optionReader } from "../../read-options.ts";
import { concat, known, literal, type Text, unknownText } from "../../text.ts";
import type { Call, Effects, Program } from "../../types.ts";
import { asksForHelp, joined, named, writeFiles, writeTrees } from "../row/describe.ts";
import { hasMark, itemsOf, replaceMark } from "./split-quoted.ts";

const readParallel = optionReader({
  values:
    "j,jobs,max-procs,P a,arg-file I n,max-args N,max-replace-args L,max-lines d,delimiter C,colsep S,sshlogin sshloginfile,slf timeout delay retries load memfree tagstring halt nice env block recstart recend seqreplace basefile,bf return trc shellquote joblog results tmpdir,tempdir workdir,wd semaphorename,id limit",
  glued: "l s i",
  flags:
    "0,null k,keep-order q,quote u,ungroup v,verbose t tag eta bar progress dry-run,dryrun m X pipe xargs r,no-run-if-empty will-cite bg fg wait",
  wrapper: true,
});

const marks = ["{}", "{.}", "{/}", "{//}", "{/.}", "{#}", "{%}", "{1}", "{2}", "{3}"];
const runsMax = 256;

/** GNU parallel joins its words and hands them to a shell, with one input in place of each mark. */
const parallel: Program = (call, effects) => {
  if (asksForHelp(call.args)) return;
  const options = readParallel(call.args);
  writeFiles(options.all("joblog"), effects);
  writeTrees(options.all("results"), effects);
  const at = options.operands.findIndex((word) => /^:::/.test(known(word) ?? ""));
  const words = at < 0 ? options.operands : options.operands.slice(0, at);
  const fromFile = options.has("a") ? [unknownText] : [];
  const listed = at < 0 ? fromFile : listedItems(options.operands.slice(at));
  const items = listed.length === 0 ? inputItems(call) : listed;
  if (options.has("dry-run")) return;
  const quoted = options.has("q");
  if (options.has("pipe") || call.name === "sem")
    return quoted ? effects.run(words) : runLine(words, effects);
  if (words.length === 0) return runItems(items, effects);
  const chosen = items.length > runsMax ? [unknownText] : items;
  for (const item of chosen) runWith(words, item, { quoted, effects });
};

function inputItems(call: Call): readonly Text[] {
  if (call.input.kind === "none") return [];
  return call.input.kind === "text" ? itemsOf(call.input.text, "\n") : [unknownText];
}

/** `::: a b ::: c`; `:::: FILE` holds items that are not known. */
function listedItems(words: readonly Text[]): readonly Text[] {
  const items: Text[] = [];
  let fromFile = false;
  for (const word of words) {
    const text = known(word);
    if (text !== undefined && /^:::{1,2}\+?$/.test(text)) fromFile = text.startsWith("::::");
    else items.push(fromFile ? unknownText : word);
  }
  return items;
}

function runLine(words: readonly Text[], effects: Effects): void {
  if (words.length > 0) effects.shell(joined(words));
}

/** Without a command every input is one. */
function runItems(items: readonly Text[], effects: Effects): void {
  for (const item of items) effects.shell(item);
}

/** With `-q` no shell reads the words a second time. */
function runWith(
  words: readonly Text[],
  item: Text,
  { quoted: isQuoted, effects }: { quoted: boolean; effects: Effects },
): void {
  const used = marks.filter((mark) => hasMark(words, mark));
  const isPlain = isQuoted || words.every((word) => /^[\w@%+=:,./{}#-]*$/.test(known(word) ?? ""));
  const fill = (word: Text, value: Text) =>
    used.reduce((text, mark) => replaceMark(text, mark, partOf(mark, value)), word);
  if (isPlain) {
    const filled = words.map((word) => fill(word, item));
    effects.run(used.length === 0 ? [...filled, item] : filled, { input: { kind: "none" } });
    return;
  }
  const quoted = quotedForShell(item);
  const line = fill(joined(words), quoted);
  effects.shell(used.length === 0 ? concat(line, literal(" "), quoted) : line);
}

/** `{.}`, `{/}` and their like are some part of the input. */
function partOf(mark: string, value: Text): Text {
  if (/^\{\d?\}$/.test(mark)) return value;
  return mark === "{/}" || mark === "{#}" || mark === "{%}" || mark === "{/.}"
    ? [{ kind: "name" }]
    : unknownText;
}

function quotedForShell(item: Text): Text {
  const text = known(item);
  return text === undefined ? item : literal(`'${text.replaceAll("'", "'\\''")}'`);
}

export const parallels = new Map<string, Program>(named("parallel sem env_parallel", parallel));
