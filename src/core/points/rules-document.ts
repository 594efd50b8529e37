import { type RuleCode, ruleCodes, ruleText } from "../rules/catalog.ts";
import type { PointName } from "./points.ts";

type Table = readonly { readonly code: RuleCode }[];

/** docs/rules.md: every code with its cause and remedy, and each point's order of precedence. */
export async function rulesDocument(): Promise<string> {
  return [
    "<!-- Made by `npm run gen` from src/core/rules/catalog.ts and src/core/points/. Do not edit. -->",
    "# Rules",
    "",
    "A verdict carries one code. Where several rules apply, the first in a point's order decides.",
    "",
    "## Codes",
    "",
    ...codeTable(ruleCodes),
    "",
    "## Order of precedence",
    "",
    "Before all of these, `R-IN-001` refuses input that is not one JSON document. `E-INTERNAL` means that Lockstep",
    "itself failed, which is always a deny.",
    "",
    "| hook point | codes, first to last |",
    "|---|---|",
    ...(await precedenceRows()),
    "",
  ].join("\n");
}

function codeTable(codes: readonly RuleCode[]): string[] {
  const rows = codes.map((code) => {
    const { from, cause, remedy } = ruleText(code);
    return `| \`${code}\` | ${from === "S0" ? "S0" : "own"} | ${cause} | ${remedy} |`;
  });
  return ["| code | from | cause | what to do |", "|---|---|---|---|", ...rows];
}

async function precedenceRows(): Promise<string[]> {
  const tables: Readonly<Record<PointName, Table>> = {
    PreDispatch: (await import("./pre-dispatch.ts")).rules,
    PreExecution: (await import("./pre-execution.ts")).rules,
    PreWrite: (await import("./pre-write.ts")).rules,
    PostExecution: (await import("./post-execution.ts")).rules,
    PreComplete: (await import("./pre-complete.ts")).rules,
    OnLockUpdate: (await import("./on-lock-update.ts")).rules,
    WatchdogTick: (await import("./watchdog-tick.ts")).rules,
    PreCompact: (await import("./pre-compact.ts")).rules,
  };
  return Object.entries(tables).map(
    ([name, table]) =>
      `| ${name} | ${[...new Set(table.map(({ code }) => code))].map((code) => `\`${code}\``).join(", ")} |`,
  );
}
