import type { GuardDesk, GuardWorld } from "./guard-world.ts";
import { hasLiveHolder } from "./live-leases.ts";

type World = Pick<GuardWorld, "clock" | "isRunAlive" | "hasOrchestrated" | "orchestrators">;

/** Whether anything is going on that has to be guarded: a live lease, a run, an orchestrator's session. */
export async function isActive(world: World, desk: GuardDesk | undefined): Promise<boolean> {
  if (world.isRunAlive()) return true;
  if (desk !== undefined && hasLiveHolder(await desk.facts(), world.clock)) return true;
  return (await world.hasOrchestrated()) && ((await world.orchestrators?.())?.isUsed() ?? false);
}
