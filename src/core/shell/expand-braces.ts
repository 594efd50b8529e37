import type { Word } from "unbash";

const bracesMax = 64;

const sequence = /^\{(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?\}$/;

/** The words that brace expansion makes of one word, as source text; undefined if there are too many. */
export function expandWordBraces(word: Word): readonly string[] | undefined {
  const part = word.parts?.find((candidate) => candidate.type === "BraceExpansion");
  if (part === undefined) return [word.text];
  const start = part.pos - word.pos;
  const choices = sequence.test(part.text) ? sequenceItems(part.text) : choicesOf(part.text);
  if (choices === undefined || choices.length > bracesMax) return undefined;
  const before = word.text.slice(0, start);
  const after = word.text.slice(start + part.text.length);
  return choices.map((choice) => before + choice + after);
}

function sequenceItems(text: string): string[] | undefined {
  const [, from = "", to = "", by = "1"] = sequence.exec(text) ?? [];
  const numeric = /\d/.test(from) && /\d/.test(to);
  if (!numeric && (/\d/.test(from) || /\d/.test(to))) return [text];
  const first = numeric ? Number(from) : from.charCodeAt(0);
  const last = numeric ? Number(to) : to.charCodeAt(0);
  const step = Math.max(1, Math.abs(Number(by)));
  if (!Number.isSafeInteger(first) || Math.abs(last - first) / step >= bracesMax) return undefined;
  const items: string[] = [];
  const width = numeric && /^-?0\d/.test(from) ? from.length : 0;
  for (let at = first; first <= last ? at <= last : at >= last; at += first <= last ? step : -step)
    items.push(numeric ? String(at).padStart(width, "0") : String.fromCharCode(at));
  return items;
}

/** The choices between the outer braces; commas in quotes, substitutions and inner braces do not count. */
function choicesOf(text: string): string[] | undefined {
  const choices: string[] = [];
  let depth = 0;
  let quote = "";
  let from = 1;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === "\\") at += 1;
    else if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === "'" || character === '"' || character === "`") quote = character;
    else if (character === "{" || character === "(") depth += 1;
    else if (character === "}" || character === ")") depth -= 1;
    else if (character === "," && depth === 1) {
      choices.push(text.slice(from, at));
      from = at + 1;
    }
  }
  choices.push(text.slice(from, -1));
  return choices;
}
