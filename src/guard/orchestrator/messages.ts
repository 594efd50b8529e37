import { displayWidth, graphemesOf } from "../../core/text/display-width.ts";
import { printable } from "../../core/text/printable.ts";

/** Columns between the two borders. */
const innerWidth = 67;
const indent = "  ";
const textWidth = innerWidth - indent.length;
/** A field longer than this is cut. */
const linesMax = 4;
const toolWidthMax = 40;

/** For a tool that an orchestrator must not use at all. */
export function toolMessage({
  tool,
  does,
  delegate,
}: {
  readonly tool: string;
  readonly does: string;
  readonly delegate: string;
}): string {
  return boxed("HARD BLOCK", [
    [
      `Tool: ${shortName(tool)}`,
      `Reason: Orchestrators MUST NOT ${does} directly`,
      `Action: Spawn ${delegate} subagent via Task tool`,
    ],
    ["CORRECT PATTERN:", `Task: ${delegate}`, 'Prompt: "[Describe what you want done]"'],
  ]);
}

export function readLimitMessage({
  tool,
  attempt,
  count,
}: {
  readonly tool: string;
  readonly attempt: number;
  readonly count: number;
}): string {
  return boxed("2-FILE RULE EXCEEDED", [
    [
      `Tool: ${shortName(tool)} (attempt #${attempt})`,
      "Reason: Orchestrators limited to 2 Read calls (coordination only)",
      "Action: Spawn analyst or Explore subagent via Task tool",
    ],
    [
      `You have already read ${count} file(s). Orchestrators are limited`,
      "to 2 Read calls for coordination purposes only.",
      "",
      "For file analysis, spawn analyst or Explore subagent.",
    ],
  ]);
}

export function commandMessage({
  command,
  reason,
  delegate,
}: {
  readonly command: string;
  readonly reason: string;
  readonly delegate: string;
}): string {
  return boxed("DANGEROUS COMMAND BLOCKED", [
    [
      `Command: ${command}`,
      `Reason: Orchestrators MUST NOT ${reason}`,
      `Action: Spawn ${delegate} subagent via Task tool`,
    ],
  ]);
}

function boxed(title: string, parts: readonly (readonly string[])[]): string {
  const edge = "═".repeat(innerWidth);
  const part = (texts: readonly string[]) => texts.flatMap(linesOf).map(framed);
  return [
    `╔${edge}╗`,
    ...part([`ORCHESTRATOR VIOLATION - ${title}`]),
    ...parts.flatMap((texts) => [`╠${edge}╣`, ...part(texts)]),
    `╚${edge}╝`,
  ].join("\n");
}

function framed(line: string): string {
  return `║${indent}${line}${" ".repeat(Math.max(0, textWidth - displayWidth(line)))}║`;
}

function shortName(tool: string): string {
  const [first = ""] = brokenLines(printable(tool), toolWidthMax - 1);
  return first === printable(tool).trim() ? first : `${first}…`;
}

function linesOf(text: string): string[] {
  const lines = brokenLines(printable(text), textWidth);
  if (lines.length <= linesMax) return lines;
  const [last = ""] = brokenLines(lines[linesMax - 1] ?? "", textWidth - 1);
  return [...lines.slice(0, linesMax - 1), `${last}…`];
}

/** Breaks a text between words, and within a word that is wider than a line. Returns at least one line. */
function brokenLines(text: string, columns: number): string[] {
  const lines = [""];
  for (const word of text.trim().split(/(?<=\s)(?=\S)/)) {
    const line = lines.at(-1) ?? "";
    if (displayWidth(line + word.trimEnd()) <= columns) lines[lines.length - 1] = line + word;
    else if (line.trim() === "" || displayWidth(word.trimEnd()) > columns) fill(lines, word, columns);
    else lines.push(word);
  }
  return lines.map((line) => line.trimEnd());
}

function fill(lines: string[], word: string, columns: number): void {
  for (const grapheme of graphemesOf(word)) {
    const line = lines.at(-1) ?? "";
    if (displayWidth(line + grapheme) <= columns) lines[lines.length - 1] = line + grapheme;
    else lines.push(grapheme.trimStart());
  }
}
