import type { AgentEvent } from "../../clients/agent.ts";
import type { PlanTask } from "../../contract/plan.ts";
import type { MemoryFile, ViewFile } from "../../core/names/session-paths.ts";
import type { Details } from "../../core/rules/verdict.ts";
import type { PlannedAssignment } from "../../core/tasks/assignment.ts";
import type { TaskState } from "../../core/tasks/states.ts";
import type { LedgerEvent } from "../../ledger/ledger.ts";
import type { Sandbox } from "../../workspace/sandbox/sandbox.ts";
import type { IntegrationContext } from "../landing/integration.ts";
import type { Agents } from "./agents.ts";
import type { Dependencies } from "./dependencies.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import type { Slots } from "./slots.ts";

/** Everything that a run needs beyond an integration. */
export interface RunContext extends IntegrationContext {
  readonly session: string;
  readonly sandbox: Sandbox;
  readonly socket?: string;
  readonly dependencies: Dependencies;
  readonly agents: Agents;
  readonly slots: Slots;
  readonly secrets: KnownSecrets;
  /** The same with the base where it is now. */
  atBase(): Promise<IntegrationContext>;
  /** Adds a timed entry to one of the session's files. */
  remember(file: MemoryFile, text: string): void;
  onTask(task: string, event: AgentEvent): void;
  onState(id: string, state: TaskState): void;
  /** Who looks at a task's work; where it is absent, the gatekeepers of its type. */
  reviewersFor?(task: RunTask): readonly string[];
  /** What else a role reads before it looks at work. */
  filesFor?(role: string): readonly string[];
  /** Told of everything that happens to its tasks. */
  onEvent?(event: LedgerEvent): Promise<void>;
  /** An agent has written in a file that only shows how the ledger stands. */
  onWish?(task: RunTask, wish: Wish): Promise<void>;
}

export interface Wish {
  readonly file: ViewFile;
  readonly before: string;
  readonly after: string;
}

/** A task of the plan, ready to be dispatched. */
export interface RunTask {
  readonly key: string;
  readonly plan: PlanTask & { readonly title: string };
  /** Whom the plan names, or leaves it to. */
  readonly agent: string;
  readonly packet: Details & { readonly assignment: PlannedAssignment };
}
