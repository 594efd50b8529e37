import { whyUntested } from "../../core/proof/check-record.ts";
import type { GateResult } from "../../proof/gate/gate-result.ts";
import type { ProvenLink } from "./chain/proving.ts";

/** The proof in Markdown, for a pull request. */
export function proofText({
  base,
  link: { tree, evidence, judged },
  gate,
}: {
  readonly base: string;
  readonly link: ProvenLink;
  readonly gate: readonly GateResult[];
}): string {
  const row = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  const checks = evidence.map(({ command, before, after, outcome }) =>
    row([
      code(command),
      before === null ? "-" : `exit ${before.exit}`,
      `exit ${after.exit}`,
      [outcome, whyUntested(after)].filter(Boolean).join(", "),
    ]),
  );
  const gates = gate.map(({ check, result, note }) => row([check, result, note ?? ""]));
  const weakened = judged.weakened.map(({ path, what }) => `- ${code(path)}: ${what}`);
  const accepted = judged.accepted === undefined ? "" : ` A person accepted this: ${judged.accepted.reason}`;
  return [
    `Verified by Lockstep on the tree of the merge into \`${base}\`: \`${tree}\`.`,
    ["| check | base | merged | outcome |", "|---|---|---|---|", ...checks].join("\n"),
    gates.length === 0 ? "" : ["| gate | result | note |", "|---|---|---|", ...gates].join("\n"),
    weakened.length === 0 ? "" : [`Tests weakened by this change:${cell(accepted)}`, ...weakened].join("\n"),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Inline code, fenced with more backticks than the text contains. */
function code(text: string): string {
  const line = text.replace(/\s+/g, " ");
  const marks = "`".repeat(1 + Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length)));
  return `${marks} ${line} ${marks}`;
}

/** Escapes bars, which would end the cell. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replace(/\s+/g, " ");
}
