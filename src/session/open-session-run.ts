import { join } from "node:path";
import type { AgentEvent } from "../clients/agent.ts";
import { copyName, sessionPath } from "../core/names/session-paths.ts";
import { isMeta } from "../core/names/task-name.ts";
import { type Deny, deny } from "../core/rules/verdict.ts";
import { maskByOwnRules } from "../core/secrets/mask-by-own-rules.ts";
import { needsOf } from "../core/session/advance.ts";
import { moveSession } from "../engine/sessions/move-session.ts";
import { Agents } from "../run/attempt/agents.ts";
import type { Stops } from "../run/conduct/conduct.ts";
import { offeringOf } from "../run/conduct/fleet/fleet.ts";
import { refuseConducted } from "../run/conduct/fleet/hold-conductor.ts";
import { prepareRun } from "../run/conduct/open-run.ts";
import type { IntegrationContext } from "../run/landing/integration.ts";
import { HostRunning } from "../server/host.ts";
import { findInstructions } from "../workspace/config/find-instructions.ts";
import { backUpFiles } from "../workspace/plan/session-backup.ts";
import { lookUp } from "./files/look-up.ts";
import { publishStatus } from "./files/publish-status.ts";
import { type RoleAgents, withRoleAgents } from "./roles/role-agents.ts";
import { type SessionContext, SessionFault } from "./roles/session-context.ts";

export interface SessionRequest {
  readonly name: string;
  readonly stateFolder: string;
  readonly stops: Stops;
  /** `task`: the task's key, or the role if a role works for the session itself. */
  onTask(task: string, event: AgentEvent): void;
  say(text: string): void;
}

export interface OpenedSession extends AsyncDisposable {
  readonly context: SessionContext;
  readonly walls: { readonly sandbox: boolean; readonly missing?: string };
}

/** Checks, before the session starts, whether all agents that may be needed can be used. */
export async function checkRoles({ config, repository }: IntegrationContext): Promise<Deny | undefined> {
  const roles = withRoleAgents(config);
  return new Agents(roles.config, repository).prepare(roles.names);
}

/** Opens everything that a session needs, and makes sure that no other process runs tasks. */
export async function openSessionRun(
  given: IntegrationContext,
  { name, stateFolder, stops, onTask, say: tell }: SessionRequest,
): Promise<OpenedSession | Deny> {
  const roles = withRoleAgents(given.config);
  const context = { ...given, config: roles.config };
  let role = "";
  const onWork = (task: string, event: AgentEvent) => onTask(isMeta(task) ? role : task, event);
  const opened = await openAsConductor(context, roles, { name, stateFolder, onTask: onWork });
  if ("allow" in opened) return opened;
  const { run, walls, held } = opened;
  const { engine, call, repository } = context;
  const say = (text: string) => tell(maskByOwnRules(run.context.secrets.mask(text)));
  const publish = async () => {
    const refused = await publishStatus(engine, { root: repository.root, session: name });
    if (refused === undefined) return backUpFiles(stateFolder, repository.root, name);
    throw new SessionFault(refused);
  };
  const load = async () => {
    const session = await engine.ledger.session(name);
    if (session === undefined) throw new Error(`there is no session \`${name}\``);
    return session;
  };
  const sessionContext: SessionContext = {
    ...{ name, run, roles, stops, load, publish, say },
    context: run.context,
    now: () => new Date(engine.clock.now().wallMs).toISOString(),
    move: async (event, decisions = []) => {
      // If this machine is gone after the move, another one finds the files that led to it.
      await run.context.fleet?.exchange(name);
      const before = await load();
      const facts = await lookUp(run.context, before, needsOf(before, event));
      const moved = await moveSession(engine, { session: name, event, facts, decisions, held }, call);
      if ("allow" in moved) throw new SessionFault(moved);
      role = moved.dispatched?.role ?? role;
      await publish();
      if (moved.state !== before.state) say(`${before.state} → ${moved.state}`);
      return moved;
    },
  };
  try {
    await sessionContext.move({ type: "note", instructionsExist: findInstructions(repository.root) });
  } catch (error) {
    await run[Symbol.asyncDispose]();
    throw error;
  }
  return {
    context: sessionContext,
    walls,
    [Symbol.asyncDispose]: () => run[Symbol.asyncDispose](),
  };
}

/** Opens the run, and takes the role of the session's conductor. */
async function openAsConductor(
  context: IntegrationContext,
  roles: RoleAgents,
  { name, stateFolder, onTask }: Pick<SessionRequest, "name" | "stateFolder" | "onTask">,
) {
  const { engine, repository } = context;
  const offering = offeringOf(context);
  const prepared = await prepareRun(context, {
    plan: { project: { name: null, definition_of_done: [] }, tasks: [] },
    session: { session: name, file: join(repository.root, sessionPath(name, copyName)) },
    agents: new Agents(context.config, repository, offering?.labels),
    ...(offering === undefined ? {} : { offering }),
    ...{ stateFolder, onTask },
  });
  if ("allow" in prepared) return prepared;
  const run = await prepared.open().catch((error: unknown) => {
    if (error instanceof HostRunning)
      return deny(
        "R-ST-001",
        `process ${error.host?.pid ?? "?"} runs tasks here: wait for it, or stop it first`,
      );
    throw error;
  });
  if ("allow" in run) return run;
  const unusable = await run.context.agents.prepare(roles.names);
  const held = run.context.conductorOf?.(name);
  if (unusable === undefined && held !== undefined) return { run, walls: prepared.walls, held };
  await run[Symbol.asyncDispose]();
  if (unusable !== undefined) return unusable;
  await refuseConducted(engine, name);
  return deny("R-ST-001", `another process conducts session \`${name}\`: try again`);
}
