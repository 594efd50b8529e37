import type { Landed } from "../run/land-branch.ts";
import { landBranch } from "../run/land-branch.ts";
import { readRepository } from "../workspace/git/repository-state.ts";
import { callFrom } from "./caller.ts";
import { CommandFault } from "./command-fault.ts";
import { writeAll } from "./descriptor.ts";
import { openEngine } from "./open-engine.ts";
import { style } from "./style.ts";
import { duration, printable, table } from "./table.ts";
import { faultVerdict } from "./verdicts.ts";

interface LandOptions {
  readonly scope?: readonly string[];
  readonly check?: readonly string[];
  readonly proves?: readonly string[];
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const exits = { merged: 0, proven: 0, nothing: 0, refused: 2, waiting: 3 } as const;

/** Exit 0 merged, 2 refused, 3 a person has to decide. */
export async function landCommand(branch: string, options: LandOptions): Promise<number> {
  try {
    const landed = await land(branch, options);
    writeAll(1, options.json === true ? `${JSON.stringify(landed, null, 2)}\n` : landedText(branch, landed));
    if (landed.refused !== null) writeAll(2, `lockstep: ${landed.refused.code}: ${landed.refused.reason}\n`);
    return exits[landed.outcome];
  } catch (error) {
    const fault = faultVerdict(error);
    if (process.argv.includes("--debug") && error instanceof Error) writeAll(2, `${error.stack}\n`);
    if (options.json === true) writeAll(1, `${JSON.stringify(fault)}\n`);
    writeAll(2, `lockstep: ${fault.code}: ${fault.reason}\n`);
    return fault.code === "E-STORE" || fault.code === "E-INTERNAL" ? 1 : 2;
  }
}

async function land(
  branch: string,
  { scope = ["."], check = [], proves = [], dryRun = false }: LandOptions,
): Promise<Landed> {
  const call = callFrom(process.env);
  if ("allow" in call) throw new CommandFault(call.code, call.reason);
  if (call.role !== "person")
    throw new CommandFault("R-AU-001", "`land` is not for agents: let a person do it");
  using opened = await openEngine({ create: true });
  const { engine, project, config } = opened;
  const repository = await readRepository(project, config.base_branch);
  if ("error" in repository) throw new CommandFault("R-IN-001", repository.error);
  if (config.integrate === "pr")
    throw new CommandFault("E-CONFIG", "`integrate: pr` is not built yet: use `local` or `none`");
  const onProgress = (line: string) => writeAll(2, `${style.dim("·")} ${printable(line)}\n`);
  return await landBranch(
    { engine, repository, config, call, onProgress },
    { branch, scope, checks: check, proves, dryRun },
  );
}

function landedText(branch: string, { outcome, base, commit, evidence, weakened, gate }: Landed): string {
  const words = {
    merged: `${style.green("merged")} ${branch} into ${base} as ${commit?.slice(0, 12)}`,
    proven: `${style.green("proven")} ${branch} on ${base}; nothing was moved`,
    nothing: `${branch} is part of ${base} already`,
    refused: `${style.red("refused")} ${branch}`,
    waiting: `${style.red("waiting")} for a person: ${branch}`,
  } as const;
  const proof =
    evidence.length === 0
      ? ""
      : `\n${table(
          ["CHECK", "BASE", "MERGED", "OUTCOME", "TIME"],
          evidence.map(({ command, before, after, outcome: result }) => [
            command,
            before === null ? "-" : `exit ${before.exit}`,
            `exit ${after.exit}`,
            result,
            duration(Math.round(after.seconds)),
          ]),
        )}`;
  const gates =
    gate.length === 0
      ? ""
      : `\n${table(
          ["GATE", "RESULT", "NOTE"],
          gate.map(({ check, result, findings, note }) => [
            check,
            result,
            findings[0]?.message ?? note ?? "",
          ]),
        )}`;
  const listed = weakened.map(({ path, what }) => `  ${printable(path)}: ${what}\n`).join("");
  return `${words[outcome]}\n${proof}${gates}${listed === "" ? "" : `\nlook at what checks less now:\n${listed}`}`;
}
