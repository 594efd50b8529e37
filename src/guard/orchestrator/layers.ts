import type { GuardAnswer, ToolCall } from "../../contract/tool-call.ts";
import type { RuleCode } from "../../core/rules/catalog.ts";
import { selfCheckText } from "../../core/rules/self-check.ts";
import type { Project } from "../../workspace/files/find-project.ts";
import type { CallRecord, GuardSettings, GuardWorld, OrchestratorGuard } from "../world/guard-world.ts";
import { appendAudit, auditLine } from "./audit.ts";
import { type OrchestratorFolders, orchestratorFolders } from "./folders.ts";
import { reportOf, writeReport } from "./report.ts";
import { type JudgedOrchestrator, judgeOrchestrator, type OrchestratorOptions } from "./rules.ts";
import type { Whose } from "./session-key.ts";
import { type OrchestratorState, withRole } from "./state.ts";
import { changeState, endState, findState, listStates, usedWithinMs } from "./state-store.ts";

/** The orchestrator layers of one project, for one call. The disk is read anew for each call. */
export function openOrchestratorLayers(
  project: Project,
  settings: Pick<GuardSettings, "root" | "coordination" | "opaque" | "programs">,
  world: Pick<GuardWorld, "disk" | "scratch" | "environment">,
): OrchestratorLayers {
  const { root, coordination, opaque, programs } = settings;
  return new OrchestratorLayers({
    folders: orchestratorFolders(project, root),
    place: project.place,
    disk: world.disk,
    scratch: world.scratch,
    tmpdir: world.environment.TMPDIR ?? "",
    // A hook sends only a few variables to the server; then any other variable may be set too.
    ...(world.environment.HOME === undefined ? {} : { environment: new Set(Object.keys(world.environment)) }),
    coordination,
    opaque,
    programs,
    now: () => new Date(),
  });
}

/** Shown at the session's start, and again after a compaction that may have dropped it. */
const orchestratorText = `You are an orchestrating agent here: you plan and delegate, and write nothing yourself.\n\n${selfCheckText()}`;

interface LayerOptions extends Omit<OrchestratorOptions, "now" | "strayed"> {
  readonly folders: OrchestratorFolders;
  now(): Date;
}

interface Asked {
  readonly whose: Whose;
  readonly now: Date;
}

/** The four layers (role and state, rules, audit log, report) behind the guard's interface. */
export class OrchestratorLayers implements OrchestratorGuard {
  readonly #options: LayerOptions;

  constructor(options: LayerOptions) {
    this.#options = options;
  }

  roleOf(session: string | null): OrchestratorState["agent_role"] | null {
    const { folders, now } = this.#options;
    return findState(folders, { whose: { session, agentId: null }, now: now() })?.state.agent_role ?? null;
  }

  isUsed(): boolean {
    const { folders, now } = this.#options;
    const since = now().getTime() - usedWithinMs;
    return listStates(folders).some(
      ({ state, usedMs }) => state.agent_role === "orchestrator" && usedMs >= since,
    );
  }

  /** Judges a call or another event of an orchestrator. */
  async judge(
    call: ToolCall,
    strayed: readonly string[] = [],
  ): Promise<{ readonly answer: GuardAnswer; readonly code: RuleCode | null }> {
    const { folders, now } = this.#options;
    const asked = { whose: whoseIs(call), now: now() };
    if (call.event !== "before-tool" && call.event !== "after-tool")
      return { answer: this.#answerEvent(call, asked), code: null };
    folders.showUsed(asked.now);
    const { answer } = await this.#judgeCall(call, strayed, asked);
    const code = call.operation.kind === "malformed" ? "R-IN-001" : "R-OR-001";
    return { answer, code: answer.allow ? null : code };
  }

  #answerEvent({ event }: ToolCall, asked: Asked): GuardAnswer {
    const { folders } = this.#options;
    if (event === "session-start") return { allow: true, reason: "", context: orchestratorText };
    if (event === "session-end") {
      endState(folders, asked);
      if (!this.isUsed()) folders.showEnded();
    }
    if (event === "compact") {
      const found = findState(folders, asked);
      if (found !== undefined) writeReport(folders, reportOf(folders, found.state, asked.now));
      return { allow: true, reason: "", context: orchestratorText };
    }
    return { allow: true, reason: "" };
  }

  async #judgeCall(call: ToolCall, strayed: readonly string[], asked: Asked): Promise<JudgedOrchestrator> {
    const { folders } = this.#options;
    let judged: JudgedOrchestrator | undefined;
    const state = changeState(folders, { ...asked, role: "orchestrator" }, (before) => {
      judged = judgeOrchestrator(call, before, { ...this.#options, now: asked.now, strayed });
      return judged.next;
    });
    if (judged === undefined) throw new Error("the orchestrator's state was saved without a verdict");
    if (!judged.repeated && (call.event === "after-tool" || !judged.answer.allow))
      await appendAudit(folders, [lineOf(call, judged, state, asked.now)]);
    return judged;
  }

  /** Logs a decided call of any other agent. It never changes an orchestrator's counts. */
  async record(call: ToolCall, { role, task, agent, outcome, code }: CallRecord): Promise<void> {
    if (role === "orchestrator") return;
    if (call.event !== "after-tool" && !(call.event === "before-tool" && outcome === "blocked")) return;
    const { folders, now } = this.#options;
    const state = findState(folders, { whose: { session: call.session, agentId: null }, now: now() })?.state;
    if (task === null && isMainSession(call) && state?.client_session === call.session) this.#demote(call);
    const violation = code === null ? null : { type: code, detail: agent ?? "", action: "" };
    await appendAudit(folders, [
      auditLine(call, {
        now: now(),
        session_id: state?.session_id ?? call.session ?? "none",
        agent_role: "subagent",
        outcome,
        read_count_after: null,
        violation,
        task,
      }),
    ]);
  }

  /**
   * Called if the environment of the main session names another role than before. Calls of other agents do not change
   * it.
   */
  #demote(call: ToolCall): void {
    const { folders, now } = this.#options;
    const asked = { whose: { session: call.session, agentId: null }, now: now(), role: "subagent" } as const;
    changeState(folders, asked, (state) => withRole(state, "subagent"));
  }
}

function isMainSession({ actor, session }: ToolCall): boolean {
  return session !== null && actor.agentId === null && actor.agentType === null;
}

function whoseIs({ session, actor }: ToolCall): Whose {
  return { session, agentId: actor.agentId };
}

function lineOf(
  call: ToolCall,
  { answer, violation }: JudgedOrchestrator,
  state: OrchestratorState,
  now: Date,
) {
  return auditLine(call, {
    now,
    session_id: state.session_id,
    agent_role: state.agent_role,
    outcome: !answer.allow ? "blocked" : violation === null ? "allowed" : "warned",
    read_count_after: state.read_count,
    violation:
      violation === null
        ? null
        : { type: violation.type, detail: violation.detail, action: violation.action },
    task: null,
  });
}
