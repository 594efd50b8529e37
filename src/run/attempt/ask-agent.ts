import type { AgentEnd, AgentEvent } from "../../clients/agent.ts";
import type { UniversalInput } from "../../clients/input/universal-input.ts";
import { StartCost } from "../../core/loops/start-cost.ts";
import type { Agent } from "./agents.ts";
import { BoundedTalk } from "./bounded-talk.ts";
import { passedOn } from "./passed-on.ts";
import type { RunContext } from "./run-context.ts";
import type { WorkPlace } from "./work-place.ts";

export interface Asking {
  readonly agent: Agent;
  readonly place: WorkPlace;
  readonly input: UniversalInput;
  readonly prompt: string;
  /** The conversation to go on with. */
  readonly resume?: string;
  /** How long it may take, null: any time; the configuration says it where this is absent. */
  readonly minutes?: number | null;
  /** Beyond what the configuration passes on. */
  readonly env: Readonly<Record<string, string>>;
  onEvent(event: AgentEvent): void;
  /** Gets the way to stop it, as long as it works. */
  follow(stop: () => void): Disposable;
}

export interface Asked {
  readonly end: AgentEnd;
  readonly conversation: string | undefined;
}

/** The ledger halts a task by its time; this is for an agent that does not even notice that. */
const graceMs = 60_000;

/** Starts an agent once and follows it to its end. */
export async function askAgent({ config }: Pick<RunContext, "config">, asking: Asking): Promise<Asked> {
  const { agent, place, input, prompt, resume, onEvent } = asking;
  const { minutes = config.limits.minutes.halt } = asking;
  const startCost = new StartCost(prompt);
  let conversation = resume;
  const talk = new BoundedTalk(onEvent);
  using _home = place.enter(resume);
  const run = agent.client.start({
    input,
    prompt,
    walled: place.walled,
    wrap: place.wrap,
    outside: place.outside,
    folder: place.checkout.folder,
    env: {
      ...passedOn([...config.workspace.env_pass, ...agent.client.passes]),
      // Its own, also where the one that started the run is an orchestrator and its environment is passed on.
      CLAUDE_AGENT_ROLE: agent.role.toLowerCase(),
      CLAUDE_AGENT_NAME: agent.name,
      ...asking.env,
    },
    msMax: (minutes ?? 24 * 60) * 60_000 + graceMs,
    ...(resume === undefined ? {} : { resume }),
    onEvent: (event) => {
      if (event.type === "conversation") conversation = event.id;
      const counts = event.type === "usage" && agent.isClient;
      talk.see(counts ? { ...event, tokens: startCost.counted(event) } : event);
    },
  });
  using _following = asking.follow(() => void run.stop());
  const end = await run.ended;
  talk.end();
  return { end, conversation };
}
