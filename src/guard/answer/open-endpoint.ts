import type { ToolCall } from "../../contract/tool-call.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { findProject, type Project } from "../../workspace/files/find-project.ts";
import { stateFolder } from "../../workspace/state/state-folder.ts";
import { seemsActive } from "../transport/seems-active.ts";
import { isActive } from "../world/active.ts";
import type { GuardEndpoint } from "../world/guard-endpoint.ts";
import { readGuardSettings } from "../world/guard-settings.ts";
import { hasTask } from "../world/has-task.ts";
import { keptReads } from "../world/kept-facts.ts";
import { ledgerStore } from "../world/ledger-store.ts";
import { loopDetector } from "../world/loop-detector.ts";
import { answerPayload } from "./answer-payload.ts";
import { openWorld } from "./open-world.ts";

interface EndpointParts {
  readonly engine: Engine;
  readonly project: Project;
  isRunAlive(): boolean;
}

/** The guard of one project in the server, which keeps the facts between calls. */
export function guardEndpoint({ engine, project, isRunAlive }: EndpointParts): GuardEndpoint {
  const { ledger, clock, world, machine } = engine;
  const shared = machine === undefined ? {} : { machine };
  const { root } = project.place;
  const folder = stateFolder(project);
  const settings = () => readGuardSettings(root, folder);
  const reads = keptReads({ ledger, ...shared });
  const loops = loopDetector();
  const store = ledgerStore({ ledger, clock, settings, reads, world, stateFolder: folder, ...shared });
  return (client, bytes, environment) =>
    answerPayload({
      client,
      bytes,
      folder: environment.PWD ?? root,
      // Worktrees may appear and disappear while the server runs.
      open: () =>
        openWorld({
          ...{ project: findProject(root), environment, store: async () => store, isRunAlive, loops },
          ...(ledger.clock === undefined ? {} : { clock }),
        }),
      // Orchestrators count by their mark only: the configuration, which names their folder, may be what failed.
      isActive: async () =>
        seemsActive(folder, environment) ||
        isActive({ clock, isRunAlive, hasOrchestrated: async () => false }, store),
      ...(machine === undefined
        ? {}
        : { hasTask: (call: ToolCall) => hasTask(call, { environment, stateFolder: folder }) }),
      project: () => ({ root, stateFolder: folder }),
    });
}
