import { createInterface } from "node:readline/promises";
import { whoCalls } from "../open/who-calls.ts";
import { writeAll } from "../output/descriptor.ts";
import type { Prompt } from "./answer-prompt.ts";

/** Whether a person is at the terminal and may answer. */
export async function hasPerson(): Promise<boolean> {
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true && !process.env.CI;
  return isTerminal && (await whoCalls()).kind === "person";
}

export interface TerminalPrompt extends Prompt, Disposable {
  /** False after the person has ended the prompt. */
  readonly isOpen: boolean;
}

/** Reads one line at a time; Ctrl-C, Ctrl-D and `stop` end it. */
export function terminalPrompt(stop?: AbortSignal): TerminalPrompt {
  const { stdin: input, stdout: output } = process;
  const reader = createInterface({ input, output, ...(stop === undefined ? {} : { signal: stop }) });
  const { promise: closed, resolve } = Promise.withResolvers<undefined>();
  reader.once("close", () => resolve(undefined));
  reader.once("SIGINT", () => reader.close());
  let isOpen = true;
  void closed.then(() => {
    isOpen = false;
  });
  return {
    ask: async (text) => {
      const said = isOpen ? await Promise.race([reader.question(text), closed]) : undefined;
      if (said === undefined) writeAll(1, "\n");
      return said;
    },
    tell: (text) => writeAll(1, text),
    columns: output.columns || 80,
    get isOpen() {
      return isOpen;
    },
    [Symbol.dispose]: () => reader.close(),
  };
}
