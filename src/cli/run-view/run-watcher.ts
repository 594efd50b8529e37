import type { AgentEvent } from "../../clients/agent.ts";
import { writeAll } from "../descriptor.ts";
import { style } from "../style.ts";
import { printable } from "../table.ts";
import { shortName } from "./needs-person.ts";

/** Whoever shows a person how a run goes. */
export interface RunWatcher extends Disposable {
  onTask(task: string, event: AgentEvent): void;
  /** What is being done besides the agents' work. */
  step(line: string): void;
  /** Something that a person has to know now. */
  tell(line: string): void;
  /** True while the terminal is lent to another program, whose Ctrl-C it is. */
  readonly isLent: boolean;
}

const textLengthMax = 300;

/** One line each, for logs and for terminals that cannot be drawn on. */
export function plainLines(step: (line: string) => void): RunWatcher {
  return {
    isLent: false,
    step,
    tell: (line) => writeAll(2, `${line}\n`),
    onTask(task, event) {
      const text = lastThing(event);
      if (text !== undefined)
        writeAll(2, `${style.dim(printable(shortName(task)))}  ${text.slice(0, textLengthMax)}\n`);
    },
    [Symbol.dispose]: () => {},
  };
}

/** What a person would want to see of an event. */
export function lastThing(event: AgentEvent): string | undefined {
  if (event.type === "said") return printable(event.text);
  return event.type === "tool" ? printable(event.text) : undefined;
}
