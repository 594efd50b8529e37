import { homedir } from "node:os";
import type { Config } from "../../contract/config.ts";
import { defaultConfig } from "../../contract/default-config.ts";
import { displayWidth, padded } from "../../core/text/display-width.ts";
import { loadConfig } from "../../workspace/config/load-config.ts";
import { currentFolder, findProject, type Project } from "../../workspace/files/find-project.ts";
import { ledgerUrl } from "../../workspace/state/ledger-url.ts";
import { stateFolder } from "../../workspace/state/state-folder.ts";
import { showReading } from "../output/reading.ts";
import { style } from "../output/style.ts";
import { counted, printable } from "../output/table.ts";
import { examineAgents } from "./agents.ts";
import { examineChecks } from "./checks.ts";
import { examineClients } from "./clients.ts";
import { type Finding, groups } from "./finding.ts";
import { examineHooks } from "./hooks.ts";
import { examineLedger } from "./ledger.ts";
import { examineMachine } from "./machine.ts";
import { examineRemote } from "./remote.ts";
import { examineRepository } from "./repository.ts";
import { examineSharedLedger } from "./shared-ledger.ts";

interface GroupedFinding extends Finding {
  readonly group: (typeof groups)[number];
}

interface Diagnosis {
  readonly broken: number;
  readonly missing: number;
  readonly findings: readonly GroupedFinding[];
}

/** `lockstep doctor`: what works here, what does not, and how to fix it. */
export function doctorCommand({ json }: { readonly json?: boolean }): Promise<number> {
  const exit = ({ broken }: Diagnosis) => (broken === 0 ? 0 : 1);
  return showReading<Diagnosis>({ json, text: diagnosisText, exit }, async () => {
    const found = await examine();
    const findings = groups.flatMap((group) => found[group].map((finding) => ({ group, ...finding })));
    const count = (wanted: Finding["state"]) => findings.filter(({ state }) => state === wanted).length;
    return { broken: count("broken"), missing: count("missing"), findings };
  });
}

async function examine(): Promise<Readonly<Record<GroupedFinding["group"], readonly Finding[]>>> {
  const project = findProject(currentFolder());
  const { root } = project.place;
  const machine = { root, home: homedir(), path: process.env.PATH ?? "" };
  const loaded = await loadConfig(root);
  const faults = "faults" in loaded ? loaded.faults : [];
  // Findings that need the configuration are left out if it is faulty; its faults are reported.
  const config = "config" in loaded ? loaded.config : undefined;
  const [{ findings, repository }, machinery, clients] = await Promise.all([
    examineRepository(project, config ?? defaultConfig),
    examineMachine(faults, config?.sandbox ?? "auto"),
    examineClients(machine),
  ]);
  return {
    repository: [...findings, ...(repository && config ? await examineRemote(repository, config) : [])],
    checks: repository && config ? await examineChecks(repository, config) : [],
    machine: machinery,
    agents: [...(config ? await examineAgents(config, machine, repository?.baseCommit) : []), ...clients],
    hooks: await examineHooks({
      ...{ machine, stateFolder: stateFolder(project) },
      opaque: config?.guard.opaque ?? defaultConfig.guard.opaque,
    }),
    ledger: config ? await examineLedgers(project, config) : [],
  };
}

/** The content of a shared ledger that cannot be opened is not examined. */
async function examineLedgers(project: Project, config: Config): Promise<readonly Finding[]> {
  const shared = await examineSharedLedger(ledgerUrl(config));
  if (shared.some(({ state }) => state === "broken")) return shared;
  return [...shared, ...(await examineLedger(project))];
}

const marks = {
  ok: style.green("✓"),
  off: style.dim("-"),
  missing: style.yellow("!"),
  broken: style.red("✗"),
} as const;

/** Lines are not cut to the terminal, so that problems and fixes are readable in full. */
function diagnosisText({ broken, missing, findings }: Diagnosis): string {
  const width = Math.max(...findings.map(({ what }) => displayWidth(printable(what))));
  const shown = groups.filter((group) => findings.some((one) => one.group === group));
  const parts = shown.map((group) => {
    const lines = findings.filter((one) => one.group === group).map((one) => findingText(one, width));
    return `${style.bold(group)}\n${lines.join("")}`;
  });
  const lacks = missing === 0 ? [] : [counted(missing, "warning")];
  const faults = broken === 0 ? [] : [style.red(counted(broken, "problem"))];
  const end = [...faults, ...lacks];
  return `${parts.join("\n")}\n${end.length === 0 ? "no problems" : end.join(", ")}\n`;
}

function findingText({ what, state, detail, fix }: Finding, width: number): string {
  const text = `${padded(what, width)}  ${printable(detail)}`;
  const line = `  ${marks[state]} ${state === "ok" || state === "off" ? style.dim(text) : text}\n`;
  return fix === null ? line : `${line}${" ".repeat(width + 6)}→ ${printable(fix)}\n`;
}
