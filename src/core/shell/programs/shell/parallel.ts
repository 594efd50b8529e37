import { concat, known, literal, type Text, unknownText } from "../../text.ts";
import type { Call, Effects } from "../../types.ts";
import type { Hook, Row } from "../row/row.ts";
import { joined } from "../row/words.ts";
import { hasMark, itemsOf, replaceMark } from "./split-quoted.ts";

const marks = ["{}", "{.}", "{/}", "{//}", "{/.}", "{#}", "{%}", "{1}", "{2}", "{3}"];
const runsMax = 256;

/** GNU parallel joins its words and passes them to a shell, with one input for each mark. */
const runsInputs: Hook = (options, effects, call) => {
  const at = options.operands.findIndex((word) => /^:::/.test(known(word) ?? ""));
  const words = at < 0 ? options.operands : options.operands.slice(0, at);
  const fromFile = options.has("a") ? [unknownText] : [];
  const listed = at < 0 ? fromFile : listedItems(options.operands.slice(at));
  const items = listed.length === 0 ? inputItems(call) : listed;
  const quoted = options.has("q");
  if (options.has("pipe") || call.name === "sem") {
    if (quoted) effects.run(words);
    else if (words.length > 0) effects.shell(joined(words));
  } else if (words.length === 0) for (const item of items) effects.shell(item);
  else
    for (const item of items.length > runsMax ? [unknownText] : items)
      runWith(words, item, { quoted, effects });
};

function inputItems(call: Call): readonly Text[] {
  if (call.input.kind === "none") return [];
  return call.input.kind === "text" ? itemsOf(call.input.text, "\n") : [unknownText];
}

/** `::: a b ::: c`. The items of `:::: FILE` are unknown. */
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

/** With `-q` no shell parses the words again. */
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

/** `{.}`, `{/}` and similar marks are a part of the input. */
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

export const parallel: Row = {
  names: "parallel sem env_parallel",
  wrapper: true,
  values:
    "j,jobs,max-procs,P a,arg-file I n,max-args N,max-replace-args L,max-lines d,delimiter C,colsep S,sshlogin sshloginfile,slf timeout delay retries load memfree tagstring halt nice env block recstart recend seqreplace basefile,bf return trc shellquote tmpdir,tempdir workdir,wd semaphorename,id limit",
  glued: "l s i",
  flags: "0,null k,keep-order q,quote u,ungroup v,verbose t tag m X pipe xargs r,no-run-if-empty",
  files: "joblog",
  folders: "results",
  harmless: "dry-run,dryrun",
  also: runsInputs,
  match: [
    "parallel touch ::: a b -> a b",
    "parallel 'touch {}.x' ::: a -> a.x",
    "parallel --joblog l ls -> l",
  ],
  no_match: ["parallel --dry-run touch ::: a", "parallel cat ::: a"],
};
