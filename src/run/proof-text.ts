import type { GateResult } from "../proof/gate/gate-result.ts";
import type { ProvenLink } from "./prove-chain.ts";

/** The proof for people who read it elsewhere, in Markdown. */
export function proofText({
  base,
  link: { candidate, tree, evidence },
  gate,
}: {
  readonly base: string;
  readonly link: ProvenLink;
  readonly gate: readonly GateResult[];
}): string {
  const row = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  const checks = evidence.map(({ command, before, after, outcome }) =>
    row([`\`${command}\``, before === null ? "-" : `exit ${before.exit}`, `exit ${after.exit}`, outcome]),
  );
  const gates = gate.map(({ check, result, note }) => row([check, result, note ?? ""]));
  const weakened = candidate.weakened.map(({ path, what }) => `- \`${path}\`: ${what}`);
  return [
    `Proven by Lockstep on the tree that merging into \`${base}\` gives: \`${tree}\`.`,
    ["| check | base | merged | outcome |", "|---|---|---|---|", ...checks].join("\n"),
    gates.length === 0 ? "" : ["| gate | result | note |", "|---|---|---|", ...gates].join("\n"),
    weakened.length === 0 ? "" : ["Look at what checks less now:", ...weakened].join("\n"),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** A bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replace(/\s+/g, " ");
}
