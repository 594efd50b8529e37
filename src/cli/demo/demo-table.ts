import { basename } from "node:path";
import { fitted } from "../../core/text/display-width.ts";
import { style } from "../output/style.ts";
import { counted } from "../output/table.ts";
import type { AgentOutcome, DemoOutcome } from "./outcome.ts";

const widthMax = 96;

interface Cell {
  readonly text: string;
  /** The first word, if it is printed in bold. */
  readonly strong?: string | null;
  /** Whether the result is good for main; undefined for cells without a mark. */
  readonly good?: boolean;
}

type Row = readonly [Cell, Cell, Cell];

/** One row for each agent, then the tests, then where to find the details. */
export function demoText(outcome: DemoOutcome): string {
  const { agents, tests } = outcome;
  const width = Math.min(process.stdout.columns ?? 80, widthMax);
  const widths = [0.29, 0.31, 0.4].map((share) => Math.floor((width - 5) * share));
  const rule = style.dim(` ${"─".repeat(width - 2)}\n`);
  const head: Row = [{ text: "what each agent did" }, { text: "plain branches:" }, { text: "Lockstep:" }];
  const more: Row = [{ text: "" }, { text: "what is on main" }, { text: "merged with proof, or why not" }];
  const last: Row = [{ text: "main's tests" }, testCell(tests.plain), testCell(tests.lockstep)];
  const body = agents.map((agent) => rowText(rowOf(agent), widths)).join("");
  const heading = style.bold(rowText(head, widths)) + style.dim(rowText(more, widths));
  return `\n${heading}${rule}${body}${rule}${rowText(last, widths)}\n${closing(outcome)}`;
}

function rowOf({ task, deed, plain, lockstep }: AgentOutcome): Row {
  const kept = plain.merged ? "merged, unproven" : "left out";
  return [
    { text: `${task} ${deed}`, strong: task },
    { text: plain.harm ?? kept, good: plain.harm === null },
    { text: lockstep.harm ?? lockstepText(lockstep), good: lockstep.harm === null, strong: lockstep.code },
  ];
}

function lockstepText({ state, attempts, code, reason, checks, asks }: AgentOutcome["lockstep"]): string {
  if (asks !== null) return `waits for you: ${asks.findings[0] ?? asks.kind}`;
  if (state === "MERGED")
    return `merged${attempts > 1 ? ` on try ${attempts}` : ""}, proof: ${counted(checks, "check")}`;
  return `${code} ${shortReason(reason ?? "")}`;
}

/** Without the next step and without names that are already in the row. */
function shortReason(reason: string): string {
  const [what = ""] = reason.split(/: (?=[a-z])/);
  return what
    .replace(/^task `[^`]*` |^the branch | \([^)]*\)$/g, "")
    .replace(/\b\d{4,}\b/g, (digits) => Number(digits).toLocaleString("en"));
}

function testCell({ passed, failed }: DemoOutcome["tests"]["plain"]): Cell {
  const all = passed + failed;
  return failed === 0
    ? { text: `all ${all} pass`, good: true }
    : { text: `${failed} of ${all} fail`, good: false };
}

function rowText(row: Row, widths: readonly number[]): string {
  const cells = row.map((cell, column) => cellLines(cell, widths[column] ?? 0));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => {
    const parts = cells.map((lines, column) => lines[line] ?? " ".repeat(widths[column] ?? 0));
    return ` ${parts.join("  ").trimEnd()}\n`;
  }).join("");
}

const textMax = 100;

function cellLines({ text, good, strong }: Cell, width: number): readonly string[] {
  const paint = good === undefined ? (line: string) => line : good ? style.green : style.red;
  const mark = good === undefined ? "" : good ? "✓ " : "✗ ";
  return wrap(fitted(text, textMax), width - mark.length).map((line, at) => {
    const padded = line.padEnd(width - mark.length);
    if (at > 0) return " ".repeat(mark.length) + padded;
    const found = strong != null && padded.startsWith(`${strong} `) ? strong : "";
    return paint(mark) + style.bold(found) + padded.slice(found.length);
  });
}

/** Wraps between words; a word that is too long is split. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((one) => one.match(new RegExp(`.{1,${width}}`, "gu")) ?? [])) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

function closing({ ok, agents, folder, repositories, logs, seconds }: DemoOutcome): string {
  const harmed = agents.filter(({ plain }) => plain.harm !== null).length;
  const merged = agents.filter(({ lockstep }) => lockstep.state === "MERGED").length;
  const asked = agents.filter(({ lockstep }) => lockstep.asks !== null).length;
  const kept = ok ? style.green("kept main green") : style.red("did NOT keep main clean");
  return [
    ` Plain branches: ${harmed} of ${agents.length} tasks are wrong on main, without any warning.`,
    ` Lockstep ${kept}: ${merged} merged with proof, ${agents.length - merged - asked} refused, ${asked} waits for you.`,
    " The totals differ: each main has only the tests of the tasks merged into it.",
    "",
    ` The two runs took ${Math.round(seconds)} seconds together. See for yourself; the`,
    " repositories are kept until the next demo:",
    `   cd ${folder}`,
    ...(["plain", "lockstep"] as const).flatMap((half) => [
      `   git -C ${basename(repositories[half])} log --oneline --graph main`,
      `   less ${basename(logs[half])}`,
    ]),
    "",
    ` Your turn, in your own repository:  ${style.bold('lockstep do "what is to be done"')}`,
    "",
  ].join("\n");
}
