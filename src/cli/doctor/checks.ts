import { findFault } from "../../clients/process/find-program.ts";
import type { Config } from "../../contract/config.ts";
import { readSetup } from "../../proof/read-setup.ts";
import { isIdleCheck } from "../../run/landing/checks/is-idle-check.ts";
import { projectChecks, whyNoChecks } from "../../run/landing/checks/prove-checks.ts";
import { lastProofs } from "../../workspace/git/last-proofs.ts";
import type { RepositoryState } from "../../workspace/git/repository-state.ts";
import { duration } from "../output/table.ts";
import { broken, configLine, type Finding, missing, ok } from "./finding.ts";

const naming = configLine('checks: { default: ["COMMAND"] }');

/** The checks that verify a change, and the setup commands they need. Nothing is run. */
export async function examineChecks(
  { root, baseCommit }: RepositoryState,
  { checks, workspace }: Pick<Config, "checks" | "workspace">,
): Promise<readonly Finding[]> {
  const listed = [...checks.default, ...checks.full];
  const found = await projectChecks(root, baseCommit, listed);
  const proofs = await lastProofs(root, baseCommit);
  const tests = await Promise.all(
    found.map(async ({ command }) => {
      const last = proofs.get(command);
      const isIdle = await isIdleCheck(root, baseCommit, command);
      const untested = isIdle ? "runs no tests" : last?.untested && `passed last time, but ${last.untested}`;
      if (untested)
        return missing("tests", `${command} ${untested}: it verifies nothing`, `add tests, or ${naming}`);
      const took =
        last === undefined ? " (found, not run)" : `, ${duration(Math.round(last.seconds))} last time`;
      return ok("tests", `${command}${took}`);
    }),
  );
  const none = async () => missing("tests", await whyNoChecks(root, baseCommit), naming);
  return [
    ...(tests.length > 0 ? tests : [await none()]),
    ...(await examineSetup(root, baseCommit, workspace)),
  ];
}

async function examineSetup(
  root: string,
  commit: string,
  workspace: Config["workspace"],
): Promise<readonly Finding[]> {
  const setup = await readSetup(root, commit, workspace);
  if (setup === undefined) return [];
  const { commands, why, next } = setup;
  const wanted = next === null ? null : configLine(`workspace: { setup: [${JSON.stringify(next)}] }`);
  if (commands.length === 0)
    return [
      wanted === null
        ? ok("setup", `nothing is installed: ${why}`)
        : missing("setup", `nothing is installed: ${why}`, wanted),
    ];
  const machine = { root, path: process.env.PATH ?? "" };
  const absent = commands
    .map(([program = ""]) => program)
    .find((program) => !program.startsWith(".venv/") && findFault(program, machine) !== undefined);
  const line = commands.map((words) => words.join(" ")).join(", then ");
  if (absent !== undefined)
    return [
      broken(
        "setup",
        `\`${line}\` (${why}) needs \`${absent}\`, which is not on PATH`,
        `install ${absent}, or ${configLine('workspace: { setup: ["COMMAND"] }')}`,
      ),
    ];
  return [ok("setup", `${line} (${why})`)];
}
