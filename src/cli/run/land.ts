import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { type CheckRun, toleratedWord, untestedIn, untestedText } from "../../core/proof/check-record.ts";
import { readCriterion } from "../../core/proof/criterion.ts";
import { shellWord } from "../../core/text/quoted.ts";
import type { BranchRequest } from "../../run/landing/candidate.ts";
import { flakyBase } from "../../run/landing/checks/prove-checks.ts";
import { integrate } from "../../run/landing/integrate.ts";
import type { Integrated, IntegrationContext, Member } from "../../run/landing/integration.ts";
import { freeLeftLocks } from "../../run/landing/move/recover-moves.ts";
import { hasRemote } from "../../run/landing/propose-chain.ts";
import { currentFolder } from "../../workspace/files/find-project.ts";
import { findCommit, whyNoCommit } from "../../workspace/git/find-commit.ts";
import { inRepository, type RepositoryOptions } from "../open/in-repository.ts";
import { scopeFromHere, tellScope } from "../open/scope-from-here.ts";
import { checkOutput } from "../output/check-output.ts";
import { CommandFault } from "../output/command-fault.ts";
import { outcomeExits } from "../output/exit-of.ts";
import { style } from "../output/style.ts";
import { duration, printable, table } from "../output/table.ts";

interface LandOptions extends RepositoryOptions {
  readonly scope?: readonly string[];
  readonly check?: readonly string[];
  readonly proves?: readonly string[];
  readonly mayChangeTests?: readonly string[];
  readonly allowRed?: boolean;
}

/** Exit 0: all merged; 2: something was refused; 3: a person has to decide. */
export function landCommand(branches: readonly string[], options: LandOptions): Promise<number> {
  const { check = [], proves = [], allowRed = false } = options;
  return inRepository("land", options, async (opened) => {
    const { root } = opened.repository;
    const inFolder =
      relative(root, realpathSync(currentFolder())) === "" ? "" : `cd ${shellWord(currentFolder())} && `;
    const again = (branch: string) => inFolder + landLine([branch], options);
    const context = { ...opened, allowRed, again };
    const scope = tellScope(options.scope, context.onProgress) ?? null;
    const mayChangeTests = scopeFromHere(options.mayChangeTests ?? []);
    const terms = { scope, checks: check.map(commandOf), proves, mayChangeTests };
    const requests = [...new Set(branches)].map((branch) => ({ branch, ...terms }));
    await needBranches(context, requests);
    await needRemote(context);
    if (!context.dryRun) await freeLeftLocks(context);
    const landed = await integrate(context, requests);
    const left = landed.branches.filter(({ refused }) => refused !== null && refused.code !== "R-IN-001");
    const next =
      left.length === 0
        ? undefined
        : landLine(
            left.map(({ branch }) => branch),
            options,
          );
    const refusals = landed.branches.flatMap(({ branch, refused }) =>
      refused === null ? [] : [requests.length > 1 ? { name: branch, refused } : { refused }],
    );
    return {
      exit: outcomeExits[landed.outcome],
      text: landedText(landed),
      refusals,
      ...(next && { next: `to land again: ${printable(next)}` }),
      document: { ...toJson(landed), ...(next && { again: next }) },
    };
  });
}

/** The command line that lands branches with these options. */
function landLine(branches: readonly string[], options: LandOptions): string {
  const { scope = [], check = [], proves = [], mayChangeTests = [], allowRed, dryRun } = options;
  const lists = { scope, check, proves, "may-change-tests": mayChangeTests };
  const words = [
    ...branches,
    ...Object.entries(lists).flatMap(([name, values]) =>
      values.length === 0 ? [] : [`--${name}`, ...values],
    ),
    ...(allowRed === true ? ["--allow-red"] : []),
    ...(dryRun === true ? ["--dry-run"] : []),
  ];
  return ["lockstep land", ...words.map(shellWord)].join(" ");
}

/** Nothing is merged if one of several branches does not exist: the request has a mistake. */
async function needBranches(
  { repository: { root } }: IntegrationContext,
  requests: readonly BranchRequest[],
) {
  const found = await Promise.all(
    requests.map(
      async ({ branch }) => (await findCommit(root, branch)) === undefined && whyNoCommit(root, branch),
    ),
  );
  const problems = found.filter((problem) => problem !== false);
  if (problems.length > 0 && requests.length > 1) throw new CommandFault("R-IN-001", problems.join("\n"));
}

function commandOf(check: string): string {
  const read = readCriterion(check);
  if (read.kind === "command") return read.command;
  if (read.kind === "claim") return check;
  throw new CommandFault(
    "R-IN-001",
    `\`--check ${check}\` is for a person to check, and \`land\` only runs commands: check it yourself before you land the branch`,
  );
}

/** Refused before any check runs. */
async function needRemote({ config, repository }: IntegrationContext): Promise<void> {
  if (config.integrate !== "pr" || (await hasRemote(repository.root))) return;
  throw new CommandFault(
    "E-CONFIG",
    "`integrate: pr` pushes to the remote `origin`, which does not exist: add it, or use `integrate: local`",
  );
}

/** The fields of a single branch are also at the top level. */
function toJson(landed: Integrated) {
  const [only, ...others] = landed.branches;
  if (only === undefined || others.length > 0) return landed;
  return { ...only, ...landed, commit: landed.commit ?? only.commit };
}

function landedText({ base, batch, branches, gate }: Integrated): string {
  const together = branches.filter(({ outcome }) => outcome === "merged").length > 1;
  const parts = [
    branches.map((member) => `${outcomeLine(member, base)}\n`).join("") +
      (together ? `${style.dim(`merged together as batch ${batch}`)}\n` : ""),
    checkTable(branches),
    gateText(gate),
    testsText(branches),
    untestedLines(branches),
    flakyText(branches),
    branches.map(outputText).filter(Boolean).join("\n"),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function outcomeLine({ branch, outcome, commit, task, url, refused }: Member, base: string): string {
  const name = printable(branch);
  const words = {
    merged: `${style.green("merged")} ${name} into ${base} as ${commit?.slice(0, 12)} (task ${task})`,
    proven: `${style.green("proven")} ${name} on ${base} as ${commit?.slice(0, 12)}; nothing was merged`,
    proposed: `${style.green("proposed")} ${name} for ${base}${url === undefined ? "" : `: ${url}`}`,
    nothing: `${name} is already part of ${base}`,
    refused: `${style.red("refused")} ${name}`,
    waiting: `${style.red("waiting")} for a person: ${name}${isAsked(refused) ? "" : "; no question is open: do what the message names, then land again"}`,
  } as const;
  return words[outcome];
}

/** A question that `decide` answers, and not only something to clear first. */
function isAsked(refused: Member["refused"]): boolean {
  const { decision, decisions } = refused?.details ?? {};
  return decision !== undefined || (Array.isArray(decisions) && decisions.length > 0);
}

function checkTable(branches: readonly Member[]): string {
  const several = branches.length > 1;
  const rows = branches.flatMap(({ branch, outcome: result, evidence }) =>
    evidence.map(({ command, kind, before, after, outcome }) => [
      ...(several ? [branch] : []),
      kind === "judgement"
        ? `${command} (the base's tests)`
        : `${command}${isTwice(evidence, command) ? ` (${kindWords[kind]})` : ""}`,
      before === null ? "-" : exitWord(before),
      `exit ${after.exit}`,
      outcome === "fail" && outcomeExits[result] === 0 ? toleratedWord(before) : outcome,
      duration(Math.round(after.seconds)),
    ]),
  );
  if (rows.length === 0) return "";
  return table([...(several ? ["BRANCH"] : []), "CHECK", "BASE", "MERGED", "OUTCOME", "TIME"], rows);
}

const kindWords = { project: "project", acceptance: "check", proves: "proves", manual: "manual" } as const;

/** The same command can be listed as a check and as a proof. */
function isTwice(evidence: Member["evidence"], command: string): boolean {
  return evidence.filter((one) => one.command === command && one.kind !== "judgement").length > 1;
}

function exitWord({ exit, earlier }: CheckRun): string {
  return earlier === undefined ? `exit ${exit}` : "flaky";
}

/** Checks that passed are only named; the others get a row each. */
function gateText(gate: Integrated["gate"]): string {
  const of = (wanted: string) => gate.filter(({ result }) => result === wanted).map(({ check }) => check);
  const quiet = [
    ["passed", of("pass")],
    ["not configured", of("not_configured")],
  ] as const;
  const counted = quiet.flatMap(([word, checks]) =>
    checks.length === 0 ? [] : [`${word}: ${checks.join(", ")}`],
  );
  const rows = gate
    .filter(({ result }) => result !== "pass" && result !== "not_configured")
    .map(({ check, result, findings, note }) => [check, result, findings[0]?.message ?? note ?? ""]);
  return [
    counted.length === 0 ? "" : `${style.dim(`gate ${counted.join("; ")}`)}\n`,
    rows.length === 0 ? "" : table(["GATE", "RESULT", "NOTE"], rows),
  ].join("");
}

/** What the failed check printed. */
function outputText({ branch, refused }: Member): string {
  const what = refused?.code === "R-TW-001" ? " (the base's tests)" : "";
  const lines = checkOutput(refused?.details, { name: printable(branch), what });
  return lines.length === 0 ? "" : [`${printable(branch)}: ${lines[0]}`, ...lines.slice(1), ""].join("\n");
}

/** Checks that passed without running a test. */
function untestedLines(branches: readonly Member[]): string {
  const found = untestedIn(branches.flatMap(({ evidence }) => evidence));
  return found
    .map(
      (one) =>
        `${style.red("warning:")} ${printable(untestedText(one))}: add tests, or name a check with --check\n`,
    )
    .join("");
}

/** Checks that are flaky on the base. */
function flakyText(branches: readonly Member[]): string {
  const records = branches.flatMap(({ evidence }) => evidence);
  const flaky = new Map(
    records.flatMap(({ command, before }) => (before?.earlier ? [[command, before]] : [])),
  );
  return [...flaky].map(([command, before]) => `${printable(flakyBase(command, before))}\n`).join("");
}

/** What the change did to tests, and why that is accepted or needs a person. */
function testsText(branches: readonly Member[]): string {
  const several = branches.length > 1;
  return branches
    .flatMap((member) => testLines(member).map((line) => (several ? `${member.branch}: ${line}` : line)))
    .map((line) => `${printable(line)}\n`)
    .join("");
}

const listedMax = 12;

function testLines({ tests, refused }: Member): readonly string[] {
  const { outcome, changes, weakened, accepted } = tests;
  const texts = (list: readonly { readonly path: string; readonly what: string }[]) =>
    list.map(({ path, what }) => `${path}: ${what}`);
  if (refused?.code === "R-TW-001") {
    const { weakened: lost, changes: done } = refused.details;
    return [
      "tests weakened by this change:",
      ...bounded(Array.isArray(lost) ? lost.map(String) : []),
      ...(Array.isArray(done) && done.length > 0
        ? ["tests touched by this change:", ...bounded(texts(done))]
        : []),
    ];
  }
  if (outcome === "holds")
    return [
      "this change touches tests; everything that the tests on the base verify still holds:",
      ...bounded(texts(changes)),
    ];
  if (outcome === "accepted")
    return [
      `tests weakened, accepted in ${accepted?.decision}: ${accepted?.reason}`,
      ...bounded(texts(weakened)),
    ];
  return outcome === "allowed"
    ? ["tests changed, as you allowed beforehand:", ...bounded(texts(weakened))]
    : [];
}

function bounded(lines: readonly string[]): readonly string[] {
  const shown = lines.slice(0, listedMax).map((line) => `  ${line}`);
  return lines.length > listedMax ? [...shown, `  and ${lines.length - listedMax} more`] : shown;
}
