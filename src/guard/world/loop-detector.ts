import type { ToolCall } from "../../contract/tool-call.ts";
import { type LoopLimits, loopLimits } from "../../core/loops/loop-limits.ts";
import { LoopWatch, type Step } from "../../core/loops/loop-watch.ts";
import type { Signal } from "../../core/loops/signal.ts";
import type { Holder } from "../../engine/views/guard-facts.ts";
import type { GuardSettings, LoopDetector } from "./guard-world.ts";

/** More than the number of agents that work at once on one machine. The longest idle agent is forgotten first. */
const agentsMax = 200;

interface Watched {
  readonly watch: LoopWatch;
  lastCall: string | null;
  /** A warning that the agent has not seen yet. */
  untold: string | undefined;
}

/** Loop detection (C-19) for agents in people's own sessions. Counts are kept as long as this process runs. */
export function loopDetector(): LoopDetector {
  const agents = new Map<string, Watched>();
  const watchedFor = (holder: Holder, call: ToolCall, settings: GuardSettings): Watched => {
    const limits = loopLimits(settings);
    const name = nameOf(holder, call, limits);
    const watched = agents.get(name) ?? { watch: new LoopWatch(limits), lastCall: null, untold: undefined };
    agents.delete(name);
    agents.set(name, watched);
    const [oldest] = agents.keys();
    if (agents.size > agentsMax && oldest !== undefined) agents.delete(oldest);
    return watched;
  };
  const kept = (watched: Watched, signal: Signal | undefined): Signal | undefined => {
    if (signal?.level === "warn") watched.untold = signal.reason;
    return signal?.level === "halt" ? signal : undefined;
  };
  return {
    before(holder, call, settings) {
      const watched = watchedFor(holder, call, settings);
      // Two hooks may see the same call.
      if (call.callId !== null && call.callId === watched.lastCall) return undefined;
      watched.lastCall = call.callId;
      return kept(watched, watched.watch.see(stepOf(call)));
    },
    after(holder, call, settings) {
      const watched = watchedFor(holder, call, settings);
      const text = call.outcome?.text ?? "";
      if (text !== "") kept(watched, watched.watch.see({ type: "tool-result", text }));
      const { untold } = watched;
      watched.untold = undefined;
      return untold;
    },
  };
}

/** For a write the guard knows the files, whatever the client's arguments look like. */
function stepOf({ tool, operation, input }: ToolCall): Step {
  if (operation.kind !== "write") return { type: "tool", name: tool, input };
  const changes = operation.targets.map(({ path }) => ({ path, input }));
  return { type: "tool", name: "edit", input: { changes } };
}

/** One count for each attempt of each agent. Changed limits start a new count. */
function nameOf(
  { key, epoch }: Holder,
  { session, actor }: ToolCall,
  { edits, fetches }: LoopLimits,
): string {
  return JSON.stringify([key, epoch, session, actor.agentId, edits.halt, fetches.halt]);
}
