import { homedir } from "node:os";
import { currentFolder, findProject } from "../workspace/find-project.ts";
import { stateFolder } from "../workspace/state-folder.ts";
import { examineClients } from "./doctor-checks/clients.ts";
import type { Finding } from "./doctor-checks/finding.ts";
import { examineHooks } from "./doctor-checks/hooks.ts";
import { examineLedger } from "./doctor-checks/ledger.ts";
import { examineMachine } from "./doctor-checks/machine.ts";
import { showReading } from "./reading.ts";
import { style } from "./style.ts";
import { counted, printable } from "./table.ts";

interface Diagnosis {
  readonly broken: number;
  readonly findings: readonly Finding[];
}

/** `lockstep doctor`: what works here, what does not, and how to mend it. */
export function doctorCommand({ json }: { readonly json?: boolean }): Promise<number> {
  const exit = ({ broken }: Diagnosis) => (broken === 0 ? 0 : 1);
  return showReading<Diagnosis>({ json, text: diagnosisText, exit }, async () => {
    const project = findProject(currentFolder());
    const { root } = project.place;
    const machine = { root, home: homedir(), path: process.env.PATH ?? "" };
    const ground = { machine, stateFolder: stateFolder(project) };
    const [machinery, clients] = await Promise.all([examineMachine(root), examineClients(machine)]);
    const hooks = await examineHooks(ground);
    const findings = [...machinery, ...clients, ...hooks, ...(await examineLedger(project))];
    return { broken: findings.filter(({ state }) => state === "broken").length, findings };
  });
}

const marks = { ok: style.green("✓ ok"), off: style.dim("- off"), broken: style.red("✗ broken") } as const;

/** Not cut to the terminal: what is wrong and how to mend it has to be read to its end. */
function diagnosisText({ broken, findings }: Diagnosis): string {
  const width = Math.max(...findings.map(({ what }) => what.length));
  const lines = findings.map(({ what, state, detail, fix }) => {
    const line = `${printable(what).padEnd(width)}  ${marks[state]}  ${printable(detail)}`;
    return fix === null ? `${line}\n` : `${line}\n${" ".repeat(width + 2)}→ ${printable(fix)}\n`;
  });
  const end = broken === 0 ? "nothing is broken" : style.red(`${counted(broken, "thing")} broken`);
  return `${lines.join("")}\n${end}\n`;
}
