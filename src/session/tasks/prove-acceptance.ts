import { metaKey } from "../../core/names/task-name.ts";
import { commandsIn } from "../../core/proof/criterion.ts";
import { readAcceptance } from "../../core/session/artifacts/read-acceptance.ts";
import type { RunContext } from "../../run/attempt/run-context.ts";
import { projectChecks } from "../../run/landing/checks/prove-checks.ts";
import { judgeFiles } from "../files/judge-files.ts";
import { filesOf } from "../files/look-up.ts";
import { readSessionFile } from "../files/session-files.ts";
import { block } from "../roles/block.ts";
import type { SessionContext, StepEnd } from "../roles/session-context.ts";

/** The commands that check the whole work: those of the acceptance criteria and those of the project. */
export async function acceptanceCommands({
  repository,
  config,
  session,
  atBase,
}: RunContext): Promise<readonly string[]> {
  const { baseCommit } = (await atBase()).repository;
  const read = readAcceptance(readSessionFile(repository.root, session, "acceptance.json") ?? "");
  const criteria = "criteria" in read ? read.criteria : [];
  const verified = commandsIn(criteria.flatMap(({ verify }) => verify));
  const own = await projectChecks(repository.root, baseCommit, config.checks.default);
  return [...new Set([...verified, ...own.map(({ command }) => command)])];
}

/** Runs the acceptance commands on the current base. */
export async function proveAcceptance(context: SessionContext): Promise<StepEnd> {
  const { engine } = context.context;
  const faults = judgeFiles(context.context, filesOf(context.context), ["acceptance"]);
  if (faults.length > 0)
    return block(context, {
      code: "artifact_invalid",
      reason: `acceptance.json cannot be used: ${faults.join("; ")}`,
      recovery: "fix acceptance.json",
    });
  const { baseCommit } = (await context.context.atBase()).repository;
  const commands = await acceptanceCommands(context.context);
  if (commands.length === 0)
    return block(context, {
      code: "no_way_to_test",
      reason: "no acceptance criterion has a command, and no test command was detected in the project",
      recovery: `add a \`cmd:\` to acceptance.json under \`verify\`, or \`checks\` to .lockstep/config.yaml`,
    });
  for (const command of commands) {
    context.context.onProgress?.(`on the base: ${command}`);
    const run = await engine.prove(baseCommit, command, metaKey(context.context.session));
    if ("flaky" in run) context.say(`${command}: ${run.flaky}`);
    const failed = "error" in run ? run.error : run.exit === 0 ? undefined : `exit ${run.exit}`;
    if (failed === undefined) continue;
    context.say(`${command}: ${failed}`);
    await context.move({ type: "note", ci: "red", failedStep: `${command}: ${failed}` });
    return "again";
  }
  await context.move({ type: "note", ci: "green", failedStep: null });
  return "again";
}
