import type { AgentEvent } from "../../clients/agent.ts";
import type { PlanTask } from "../../contract/plan.ts";
import type { MemoryFile, ViewFile } from "../../core/names/session-paths.ts";
import type { Details } from "../../core/rules/verdict.ts";
import type { PlannedAssignment } from "../../core/tasks/assignment.ts";
import type { TaskState } from "../../core/tasks/states.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { HeldRole } from "../../engine/change/hold-role.ts";
import type { Attempt, LedgerEvent } from "../../ledger/ledger.ts";
import type { KnownSecrets } from "../../workspace/checkouts/known-secrets.ts";
import type { Sandbox } from "../../workspace/sandbox/sandbox.ts";
import type { IntegrationContext } from "../landing/integration.ts";
import type { Agents } from "./agents.ts";
import type { Dependencies } from "./dependencies.ts";
import type { Slots } from "./slots.ts";

/** The context of a run: that of an integration, and more. */
export interface RunContext extends IntegrationContext {
  readonly session: string;
  /** Why this process must stop conducting its sessions: another one does now. */
  whyReplaced?(): Error | undefined;
  /** The role of the session's conductor, if this process has it: it goes into changes of the session. */
  conductorOf?(session: string): HeldRole | undefined;
  /** Present if other machines work on the sessions too. */
  readonly fleet?: FleetMember;
  readonly sandbox: Sandbox;
  readonly socket?: string;
  readonly dependencies: Dependencies;
  readonly agents: Agents;
  readonly slots: Slots;
  readonly secrets: KnownSecrets;
  /** The integration context with the current commit of the base. */
  atBase(): Promise<IntegrationContext>;
  /** Adds an entry with a timestamp to one of the session's files. */
  remember(file: MemoryFile, text: string): void;
  onTask(task: string, event: AgentEvent): void;
  onState(id: string, state: TaskState): void;
  /** The reviewers of a task; absent: the gatekeepers of its type. */
  reviewersFor?(task: RunTask): readonly string[];
  /** Further files that a role reads before a review. */
  filesFor?(role: string): readonly string[];
  /** Called for every event of its tasks. */
  onEvent?(event: LedgerEvent): Promise<void>;
  /** An agent has edited a file that only shows the state of the ledger. */
  onViewEdit?(task: RunTask, edit: ViewEdit): Promise<void>;
}

/** This process among the machines that work on the same sessions. */
export interface FleetMember {
  readonly slots: number;
  /** It stays until it is stopped, also without any work. */
  readonly isWorker: boolean;
  /** Machines that offer slots, this one included. */
  readonly size: number;
  /** A person asked it to start nothing more. */
  readonly isDraining: boolean;
  /** Whether this process reviews and lands the session. */
  conducts(session: string): boolean;
  /** Reads what the other machines do, and takes over sessions that no living process conducts. */
  look(sessions: Iterable<string>): Promise<void>;
  /** Why this machine cannot do a task. */
  whyNotHere(task: RunTask): string | undefined;
  /** Whether the work of an attempt was rejected, and the machine that did it should fix it. */
  isForOther(task: Task, attempt: Attempt | undefined): boolean;
  /** Exchanges the files of a session with the other machines. */
  exchange(session: string): Promise<void>;
  /** Runs of checks that other machines ask for. */
  readonly proofs: {
    isAsked(): Promise<boolean>;
    /** Does one run, until `stop`. False if there is none that this machine can do. */
    helpOnce(stop: AbortSignal): Promise<boolean>;
  };
}

export interface ViewEdit {
  readonly file: ViewFile;
  readonly before: string;
  readonly after: string;
}

/** A task of the plan, ready to be dispatched. */
export interface RunTask {
  readonly key: string;
  readonly plan: PlanTask & { readonly title: string };
  /** The agent that the plan names, or the default of its type. */
  readonly agent: string;
  readonly packet: Details & { readonly assignment: PlannedAssignment };
}
