import { isMap, isScalar, isSeq, type Node, parseDocument, type Scalar, type YAMLMap } from "yaml";

/** A plan cut at its statuses: the text between them, and the statuses. */
export interface CutPlan {
  readonly pieces: readonly string[];
  readonly words: readonly StatusWord[];
}

interface StatusWord {
  readonly id: string;
  /** Undefined if the task has no status yet. */
  readonly word: string | undefined;
  /** The status as written in the text. */
  readonly shown: string;
  /** The text to insert before a first status; empty if the task has a status. */
  readonly lead: string;
}

type TaskNode = YAMLMap<Node, Node | null>;

export function cutPlan(text: string): CutPlan {
  const document = parseDocument(text, { uniqueKeys: false, schema: "core" });
  const [error] = document.errors;
  if (error !== undefined)
    throw new Error(`the plan is not valid YAML: ${error.message}; fix it, or copy the original again`);
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
    throw new Error(
      `the \`id\` or \`status\` of ${id} is not a plain word: write one, such as \`not-started\``,
    );
  const [at, lead] = task.flow === true ? [idSpan.to, ", status: "] : lineBelow(text, task, idSpan);
  return { id, word: undefined, lead, from: at, to: at };
}

/** The end of the line with the id, and the start of the next line of the same task. */
function lineBelow(text: string, task: TaskNode, id: Span): [at: number, lead: string] {
  const key = task.items[0]?.key.range?.[0] ?? id.from;
  const column = key - (text.lastIndexOf("\n", key - 1) + 1);
  const end = text.indexOf("\n", id.to);
  const newLine = text[end - 1] === "\r" ? "\r\n" : "\n";
  const at = end === -1 ? text.length : end - newLine.length + 1;
  return [at, `${newLine}${" ".repeat(column)}status: `];
}

/** The position of a word; undefined if the node is not a word. */
function spanOf(node: unknown): Span | undefined {
  if (!isScalar(node) || node.range == null) return undefined;
  const isWord = node.type === "PLAIN" || node.type === "QUOTE_SINGLE" || node.type === "QUOTE_DOUBLE";
  const [from, to] = node.range;
  return isWord && to > from ? { from, to } : undefined;
}
