import { setTimeout as sleep } from "node:timers/promises";
import type { NativeAnswer, ToolCall } from "../../contract/tool-call.ts";
import type { Clock } from "../../core/leases/clock.ts";
import { answerPayload } from "../../guard/answer/answer-payload.ts";
import { type Environment, guardedProject, openWorld } from "../../guard/answer/open-world.ts";
import { offlineAnswer } from "../../guard/transport/offline-answer.ts";
import { seemsActive } from "../../guard/transport/seems-active.ts";
import { isActive } from "../../guard/world/active.ts";
import { guardPayloadBytesMax } from "../../guard/world/guard-endpoint.ts";
import type { GuardStore, GuardWorld } from "../../guard/world/guard-world.ts";
import { hasTask } from "../../guard/world/has-task.ts";
import { hostStore } from "../../guard/world/host-store.ts";
import { ledgerStore } from "../../guard/world/ledger-store.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { isRunAlive } from "../../server/is-run-alive.ts";
import { currentFolder, type Project } from "../../workspace/files/find-project.ts";
import { machineClock } from "../../workspace/process/machine-clock.ts";
import { hasLedger } from "../../workspace/state/has-ledger.ts";
import { stateFolder } from "../../workspace/state/state-folder.ts";
import { callFrom } from "../open/caller.ts";
import { machineIn, openProjectLedger } from "../open/open-ledger.ts";
import { readAll, writeOrThrow } from "../output/descriptor.ts";

/** Well below the hook timeout of every client: after a timeout the client would run the call. */
const answerMsMax = 2000;

/** `lockstep guard CLIENT`: one call of a client's hook, judged in this process. */
export async function guardCommand(words: readonly string[]): Promise<number> {
  process.exitCode = 2;
  const [client = ""] = words;
  const bytes = readAll(0, guardPayloadBytesMax);
  return print(await answerHook({ client, bytes, folder: currentFolder(), environment: process.env }));
}

interface Hook {
  readonly client: string;
  readonly bytes: Uint8Array;
  readonly folder: string;
  readonly environment: Environment;
  readonly msMax?: number;
}

export async function answerHook(hook: Hook): Promise<NativeAnswer> {
  const { client, bytes, folder, msMax = answerMsMax } = hook;
  using ledgers = new OpenLedgers();
  let world: GuardWorld | undefined;
  const active = async () => {
    if (world === undefined || seemsActive(world.stateFolder, hook.environment)) return true;
    // Ignores the orchestrators' files: the configuration names their folder, and it may be what failed.
    return isActive({ ...world, hasOrchestrated: async () => false }, await world.store());
  };
  const project = () => world && { root: world.place.root, stateFolder: world.stateFolder };
  const judged = answerPayload({
    ...{ client, bytes, folder, isActive: active, project },
    hasTask: (call) => world === undefined || hasTask(call, world),
    open: (call) => {
      world = openOwnWorld(call, hook, ledgers);
      return world;
    },
  });
  const why = `it took longer than ${msMax / 1000} s`;
  const late = sleep(msMax, undefined, { ref: false }).then(() =>
    offlineAnswer({ client, payload: bytes, folder, isActive: true, project: project(), why }),
  );
  return await Promise.race([judged, late]);
}

function openOwnWorld(call: ToolCall, { folder, environment }: Hook, ledgers: OpenLedgers): GuardWorld {
  const project = guardedProject(environment, [folder, call.folder]);
  const own = machineClock();
  const world: GuardWorld = openWorld({
    ...{ project, environment },
    clock: { now: () => (ledgers.clock ?? own).now() },
    isRunAlive: () => hasLedger(project) && isRunAlive(stateFolder(project)),
    store: () => storeFor(project, () => world, ledgers),
  });
  return world;
}

/** In the sandbox, through the host: only the host has the ledger there. */
async function storeFor(
  project: Project,
  world: () => GuardWorld,
  ledgers: OpenLedgers,
): Promise<GuardStore | undefined> {
  const { environment, clock, place, disk, settings } = world();
  const { LOCKSTEP_SOCKET: socket, LOCKSTEP_TASK: task = "" } = environment;
  if (socket) {
    const call = callFrom(environment);
    if ("allow" in call) throw new Error(call.reason);
    const { askHost } = await import("../open/socket-client.ts");
    return hostStore((operation, input) => askHost(socket, { operation, input, call }), {
      task: task.trim(),
    });
  }
  const ledger = hasLedger(project) ? await ledgers.open(project) : undefined;
  const machine = machineIn(project);
  const shared = machine === undefined ? {} : { machine };
  return (
    ledger &&
    ledgerStore({
      ledger,
      clock,
      settings,
      world: { place, disk },
      stateFolder: stateFolder(project),
      ...shared,
    })
  );
}

/** Opens the ledger when the first rule needs it, and closes it at the end. */
class OpenLedgers implements Disposable {
  #opened: Promise<Ledger> | undefined;
  #ledger: Ledger | undefined;

  open(project: Project): Promise<Ledger> {
    this.#opened ??= this.#open(project);
    return this.#opened;
  }

  async #open(project: Project): Promise<Ledger> {
    this.#ledger = await openProjectLedger(project, { urgent: true, waitMs: answerMsMax / 2 });
    return this.#ledger;
  }

  /** The clock of a shared ledger counts once it is open. */
  get clock(): Clock | undefined {
    return this.#ledger?.clock;
  }

  [Symbol.dispose](): void {
    this.#ledger?.close();
  }
}

function print({ stdout, stderr, exit }: NativeAnswer): number {
  if (stderr !== "") writeOrThrow(2, stderr.endsWith("\n") ? stderr : `${stderr}\n`);
  if (stdout !== "") writeOrThrow(1, stdout);
  process.exitCode = exit;
  return exit;
}
