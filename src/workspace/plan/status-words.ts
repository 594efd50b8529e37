import { isMap, isScalar, isSeq, type Node, parseDocument, type Scalar, type YAMLMap } from "yaml";

/** A plan cut at its statuses: what stands between them, and each with what has to come before it. */
export interface CutPlan {
  readonly pieces: readonly string[];
  readonly words: readonly StatusWord[];
}

interface StatusWord {
  readonly id: string;
  /** Undefined where a task has no status yet. */
  readonly word: string | undefined;
  /** As it stands in the text. */
  readonly shown: string;
  /** What a first status begins with; empty where there is one. */
  readonly lead: string;
}

type TaskNode = YAMLMap<Node, Node | null>;

export function cutPlan(text: string): CutPlan {
  const document = parseDocument(text, { uniqueKeys: false, schema: "core" });
  const [error] = document.errors;
  if (error !== undefined)
    throw new Error(`the plan is no YAML any more: ${error.message}; mend it, or take it from the original`);
  const tasks = document.get("tasks");
  const nodes = isSeq(tasks) ? tasks.items.filter((item): item is TaskNode => isMap(item)) : [];
  const pieces: string[] = [];
  const words: StatusWord[] = [];
  let at = 0;
  for (const { from, to, ...word } of nodes.map((task) => statusIn(text, task))) {
    pieces.push(text.slice(at, from));
    words.push({ ...word, shown: text.slice(from, to) });
    at = to;
  }
  return { pieces: [...pieces, text.slice(at)], words };
}

export function joinPlan({ pieces, words }: CutPlan): string {
  return pieces.map((piece, index) => piece + (words[index]?.shown ?? "")).join("");
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function statusIn(text: string, task: TaskNode): Span & Omit<StatusWord, "shown"> {
  const id = String(task.get("id"));
  const status = task.get("status", true);
  const span = spanOf(status);
  if (span !== undefined) return { id, word: String((status as Scalar).value), lead: "", ...span };
  const idSpan = spanOf(task.get("id", true));
  if (idSpan === undefined || task.has("status"))
    throw new Error(`the \`id\` or \`status\` of ${id} is no plain word: write one such as \`not-started\``);
  const [at, lead] = task.flow === true ? [idSpan.to, ", status: "] : lineBelow(text, task, idSpan);
  return { id, word: undefined, lead, from: at, to: at };
}

/** Where the line of the id ends, and how the next line of the same task begins. */
function lineBelow(text: string, task: TaskNode, id: Span): [at: number, lead: string] {
  const key = task.items[0]?.key.range?.[0] ?? id.from;
  const column = key - (text.lastIndexOf("\n", key - 1) + 1);
  const end = text.indexOf("\n", id.to);
  const newLine = text[end - 1] === "\r" ? "\r\n" : "\n";
  const at = end === -1 ? text.length : end - newLine.length + 1;
  return [at, `${newLine}${" ".repeat(column)}status: `];
}

/** Where a word stands; undefined for what is none. */
function spanOf(node: unknown): Span | undefined {
  if (!isScalar(node) || node.range == null) return undefined;
  const isWord = node.type === "PLAIN" || node.type === "QUOTE_SINGLE" || node.type === "QUOTE_DOUBLE";
  const [from, to] = node.range;
  return isWord && to > from ? { from, to } : undefined;
}
