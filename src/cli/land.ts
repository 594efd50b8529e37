import { readCriterion } from "../core/proof/criterion.ts";
import { integrate } from "../run/integrate.ts";
import type { Integrated, IntegrationContext, Member } from "../run/integration.ts";
import { hasRemote } from "../run/propose-chain.ts";
import { freeLeftLocks } from "../run/recover-moves.ts";
import { CommandFault } from "./command-fault.ts";
import { inRepository, type RepositoryOptions } from "./in-repository.ts";
import { style } from "./style.ts";
import { duration, printable, table } from "./table.ts";

interface LandOptions extends RepositoryOptions {
  readonly scope?: readonly string[];
  readonly check?: readonly string[];
  readonly proves?: readonly string[];
}

const exits = { merged: 0, proven: 0, proposed: 0, nothing: 0, refused: 2, waiting: 3 } as const;

/** Exit 0 all merged, 2 something refused, 3 a person has to decide. */
export function landCommand(branches: readonly string[], options: LandOptions): Promise<number> {
  const { scope = null, check = [], proves = [] } = options;
  return inRepository("land", options, async (context) => {
    const checks = check.map(commandOf);
    const wishes = [...new Set(branches)].map((branch) => ({ branch, scope, checks, proves }));
    await needRemote(context);
    if (!context.dryRun) await freeLeftLocks(context);
    const landed = await integrate(context, wishes);
    const refusals = landed.branches.flatMap(({ branch, refused }) =>
      refused === null ? [] : [wishes.length > 1 ? { name: branch, refused } : { refused }],
    );
    return { exit: exits[landed.outcome], text: landedText(landed), refusals, document: toJson(landed) };
  });
}

function commandOf(check: string): string {
  const read = readCriterion(check);
  if (read.kind === "command") return read.command;
  if (read.kind === "claim") return check;
  throw new CommandFault(
    "R-IN-001",
    `\`--check ${check}\` is for a person, and \`land\` only runs commands: look at it yourself before you land it`,
  );
}

/** Said before the checks have cost anything. */
async function needRemote({ config, repository }: IntegrationContext): Promise<void> {
  if (config.integrate !== "pr" || (await hasRemote(repository.root))) return;
  throw new CommandFault(
    "E-CONFIG",
    "`integrate: pr` pushes to the remote `origin`, and there is none: add it, or use `integrate: local`",
  );
}

/** One branch is told at the top too. */
function toJson(landed: Integrated) {
  const [only, ...others] = landed.branches;
  if (only === undefined || others.length > 0) return landed;
  return { ...only, ...landed, commit: landed.commit ?? only.commit };
}

function landedText({ base, batch, branches, gate }: Integrated): string {
  const together = branches.filter(({ outcome }) => outcome === "merged").length > 1;
  const parts = [
    branches.map((member) => `${outcomeLine(member, base)}\n`).join("") +
      (together ? `${style.dim(`together they are ${batch}`)}\n` : ""),
    checkTable(branches),
    gate.length === 0
      ? ""
      : table(
          ["GATE", "RESULT", "NOTE"],
          gate.map(({ check, result, findings, note }) => [
            check,
            result,
            findings[0]?.message ?? note ?? "",
          ]),
        ),
    weakenedText(branches),
    branches.map(outputText).filter(Boolean).join("\n"),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function outcomeLine({ branch, outcome, commit, task, url }: Member, base: string): string {
  const name = printable(branch);
  const words = {
    merged: `${style.green("merged")} ${name} into ${base} as ${commit?.slice(0, 12)}, task ${task}`,
    proven: `${style.green("proven")} ${name} on ${base} as ${commit?.slice(0, 12)}; nothing was moved`,
    proposed: `${style.green("proposed")} ${name} for ${base}${url === undefined ? "" : `: ${url}`}`,
    nothing: `${name} is part of ${base} already`,
    refused: `${style.red("refused")} ${name}`,
    waiting: `${style.red("waiting")} for a person: ${name}`,
  } as const;
  return words[outcome];
}

function checkTable(branches: readonly Member[]): string {
  const several = branches.length > 1;
  const rows = branches.flatMap(({ branch, evidence }) =>
    evidence.map(({ command, before, after, outcome }) => [
      ...(several ? [branch] : []),
      command,
      before === null ? "-" : `exit ${before.exit}`,
      `exit ${after.exit}`,
      outcome,
      duration(Math.round(after.seconds)),
    ]),
  );
  if (rows.length === 0) return "";
  return table([...(several ? ["BRANCH"] : []), "CHECK", "BASE", "MERGED", "OUTCOME", "TIME"], rows);
}

const outputLinesMax = 15;

/** The end of what a failed check printed. */
function outputText({ branch, refused }: Member): string {
  const { output, command } = refused?.details ?? {};
  if (typeof output !== "string" || output.trim() === "") return "";
  const lines = output.trimEnd().split("\n").slice(-outputLinesMax);
  return `${printable(`${branch}: ${String(command)}`)} printed\n${lines.map((line) => `  ${printable(line)}\n`).join("")}`;
}

function weakenedText(branches: readonly Member[]): string {
  const listed = branches.flatMap(({ weakened }) =>
    weakened.map(({ path, what }) => `  ${printable(path)}: ${what}\n`),
  );
  return listed.length === 0 ? "" : `look at what checks less now:\n${listed.join("")}`;
}
