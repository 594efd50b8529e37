import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../contract/config.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import { isFleet } from "../../run/conduct/fleet/fleet.ts";
import { freshBase } from "../../run/landing/fresh-base.ts";
import type { IntegrationContext } from "../../run/landing/integration.ts";
import { hasRemote } from "../../run/landing/propose-chain.ts";
import { pushHeld } from "../../run/landing/work/share-work.ts";
import { Tidier } from "../../run/landing/work/tidy-checkouts.ts";
import { runAtWork } from "../../server/run-at-work.ts";
import { packRepository } from "../../workspace/checkouts/pack-repository.ts";
import { loadConfigAt } from "../../workspace/config/config-at-commit.ts";
import { currentFolder, findProject } from "../../workspace/files/find-project.ts";
import { RemoteFault } from "../../workspace/git/remote.ts";
import { findRepository, readRepository } from "../../workspace/git/repository-state.ts";
import { chooseSandbox } from "../../workspace/sandbox/choose-sandbox.ts";
import { CommandFault } from "../output/command-fault.ts";
import { writeAll } from "../output/descriptor.ts";
import { showProgress } from "../output/progress.ts";
import { faultVerdict, tellRefusal } from "../output/verdicts.ts";
import { EndedBySignal } from "./end-by-signal.ts";
import { hearDecisions, openNotifier } from "./notify-person.ts";
import { configIn, limitsOf, openEngine } from "./open-engine.ts";

interface Told {
  readonly exit: number;
  readonly text: string;
  /** With the name of the branch or session if there are several. */
  readonly refusals: readonly { readonly name?: string; readonly refused: Deny }[];
  /** The last line, after the refusals. */
  readonly next?: string;
  readonly document: object;
}

export interface RepositoryOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
  /** Print the document as the last of many JSON lines. */
  readonly jsonLines?: boolean;
}

/** Runs a command that changes the base, with progress on stderr. Only a person may call these commands. */
export async function inRepository(
  command: "land" | "rollback" | "run" | "do" | "start" | "resume" | "report" | "worker",
  { dryRun = false, jsonLines = false, json = jsonLines }: RepositoryOptions,
  act: (context: IntegrationContext) => Promise<Told>,
): Promise<number> {
  try {
    return await withContext(command, { dryRun, json }, act, ({ text, refusals, next, document }) => {
      writeAll(1, json ? documentText(document, jsonLines) : text);
      for (const { name, refused } of refusals)
        writeAll(2, `lockstep: ${name === undefined ? "" : `${name}: `}${refused.code}: ${refused.reason}\n`);
      if (next !== undefined) writeAll(2, `${next}\n`);
    });
  } catch (error) {
    if (error instanceof EndedBySignal) {
      writeAll(2, `lockstep: ${error.message}\n`);
      return error.exit;
    }
    const fault = faultVerdict(error);
    if (process.argv.includes("--debug") && error instanceof Error) writeAll(2, `${error.stack}\n`);
    return tellRefusal(fault, json);
  }
}

function documentText(document: object, asLine: boolean): string {
  if (!asLine) return `${JSON.stringify(document, null, 2)}\n`;
  return `${JSON.stringify({ event: "run.ended", at: new Date().toISOString(), ...document })}\n`;
}

const ofPerson: ReadonlySet<string> = new Set(["land", "rollback"]);

/** Prints the result before checkouts are removed and the repository is packed: both can take a while. */
async function withContext(
  command: string,
  { dryRun = false, json = false }: RepositoryOptions,
  act: (context: IntegrationContext) => Promise<Told>,
  print: (told: Told) => void,
): Promise<number> {
  const found = await findRepository(findProject(currentFolder()));
  if ("error" in found) throw new CommandFault("R-IN-001", found.error);
  using opened = await openEngine({ create: command !== "rollback" && !dryRun });
  const { engine, project, config } = opened;
  if (command !== "report") tryEarly(config.sandbox);
  const repository = await readRepository(project, config);
  if ("error" in repository) throw new CommandFault("R-IN-001", repository.error);
  await using notifier = openNotifier({ command: config.notify.command, cwd: repository.root, json });
  hearDecisions(engine.ledger, notifier.tell);
  using progress = showProgress();
  // A person lands and rolls back; a run acts on its own.
  const call = { role: ofPerson.has(command) ? "person" : "runner" } as const;
  const context = { engine, repository, config, call, dryRun, onProgress: progress.tell };
  await using tidier = new Tidier(context);
  const current =
    dryRun || command === "report" ? context : await withSharedConfig(await openRemote(context));
  const told = await act({ ...current, tidy: tidier.start });
  progress.close();
  print(told);
  await tidier[Symbol.asyncDispose]();
  if (!dryRun) await packAfter(repository.commonFolder, progress.tell);
  return told.exit;
}

/** Tries the sandbox while git reads the repository. Those who need it wait for the same trial, and get its error. */
function tryEarly(mode: Config["sandbox"]): void {
  chooseSandbox(mode).catch(() => {});
}

/** Pushes what an earlier process could not push, and fetches the base if it is there. Does nothing without a remote. */
async function openRemote<Context extends IntegrationContext>(context: Context): Promise<Context> {
  const { config, repository, onProgress } = context;
  if (config.remote === null) return context;
  if (!(await hasRemote(repository.root, config.remote)))
    throw new CommandFault(
      "E-CONFIG",
      `\`remote: ${config.remote}\` is not a remote of this repository: \`git remote add ${config.remote} URL\` adds it`,
    );
  for (const line of await pushHeld(context)) onProgress(line);
  if (config.integrate !== "push") return context;
  try {
    return (await freshBase(context)) ?? context;
  } catch (error) {
    if (!(error instanceof RemoteFault)) throw error;
    onProgress(`\`${repository.base}\` is as last fetched: ${error.message}`);
    return context;
  }
}

/**
 * Machines that share a base also share its configuration, so that all of them decide alike: that of the base's commit,
 * not that of a working tree.
 */
async function withSharedConfig<Context extends IntegrationContext>(context: Context): Promise<Context> {
  if (!isFleet(context)) return context;
  const { repository, engine, onProgress } = context;
  const { base, root, baseCommit } = repository;
  const config = configIn(await loadConfigAt(root, baseCommit));
  if (isDeepStrictEqual(config, context.config)) return context;
  const place = `\`${base}\` at \`${context.config.remote}\``;
  if (!isFleet({ engine, config }))
    throw new CommandFault(
      "E-CONFIG",
      `\`remote\` and \`integrate\` are not in the configuration of ${place}, so other machines do not know them: commit and push .lockstep/config.yaml`,
    );
  onProgress(`.lockstep/config.yaml here differs from that of ${place}, which is used`);
  return { ...context, config, engine: { ...engine, limits: limitsOf(config) } };
}

/** Packs the repository, unless another process has running agents. A failure is only reported. */
async function packAfter(commonFolder: string, onProgress: IntegrationContext["onProgress"]): Promise<void> {
  if (runAtWork(join(commonFolder, "lockstep")) !== undefined) return;
  try {
    await packRepository(commonFolder, { onProgress });
  } catch (error) {
    onProgress(`the repository could not be packed: ${(error as Error).message}`);
  }
}
