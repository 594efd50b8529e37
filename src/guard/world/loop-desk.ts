import type { ToolCall } from "../../contract/tool-call.ts";
import { type LoopLimits, loopLimits } from "../../core/loops/loop-limits.ts";
import { LoopWatch, type Step } from "../../core/loops/loop-watch.ts";
import type { Signal } from "../../core/loops/signal.ts";
import type { Holder } from "../../engine/views/guard-facts.ts";
import type { GuardSettings, LoopDesk } from "./guard-world.ts";

/** More agents than work at once on one machine; the one that was quiet longest is forgotten first. */
const agentsMax = 200;

interface Watched {
  readonly watch: LoopWatch;
  lastCall: string | null;
  /** A warning that its agent has not heard yet. */
  untold: string | undefined;
}

/** C-19 for agents in people's own sessions: what each does, for as long as the process that answers them stays. */
export function loopDesk(): LoopDesk {
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

/** Of a write the guard knows the files, whatever the client's own arguments are like. */
function stepOf({ tool, operation, input }: ToolCall): Step {
  if (operation.kind !== "write") return { type: "tool", name: tool, input };
  const changes = operation.targets.map(({ path }) => ({ path, input }));
  return { type: "tool", name: "edit", input: { changes } };
}

/** Each attempt of each agent; other limits start a new count. */
function nameOf(
  { key, epoch }: Holder,
  { session, actor }: ToolCall,
  { edits, fetches }: LoopLimits,
): string {
  return JSON.stringify([key, epoch, session, actor.agentId, edits.halt, fetches.halt]);
}
