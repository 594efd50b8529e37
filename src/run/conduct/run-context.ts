import type { AgentEvent } from "../../clients/agent.ts";
import type { TaskState } from "../../core/tasks/states.ts";
import type { Sandbox } from "../../workspace/sandbox/sandbox.ts";
import type { IntegrationContext } from "../integration.ts";
import type { Dependencies } from "./dependencies.ts";

/** Everything that a run needs beyond an integration. */
export interface RunContext extends IntegrationContext {
  readonly session: string;
  readonly sandbox: Sandbox;
  readonly socket?: string;
  readonly dependencies: Dependencies;
  /** The same with the base where it is now. */
  atBase(): Promise<IntegrationContext>;
  /** Adds a timed entry to one of the session's files. */
  remember(file: "activeContext.md" | "progress.md", text: string): void;
  onTask(task: string, event: AgentEvent): void;
  onStates(states: ReadonlyMap<string, TaskState>): void;
}
