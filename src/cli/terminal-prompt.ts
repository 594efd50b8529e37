import { createInterface } from "node:readline/promises";
import type { Prompt } from "./answer-prompt.ts";
import { callFrom } from "./caller.ts";
import { writeAll } from "./descriptor.ts";

/** Somebody sits there who may answer. */
export function hasPerson(): boolean {
  const call = callFrom(process.env);
  const isPerson = !("allow" in call) && call.role === "person" && !process.env.LOCKSTEP_SOCKET;
  return isPerson && process.stdin.isTTY === true && process.stdout.isTTY === true && !process.env.CI;
}

/** A line at a time; Ctrl-C and Ctrl-D end it. */
export function terminalPrompt(): Prompt & Disposable {
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  const { promise: closed, resolve } = Promise.withResolvers<undefined>();
  reader.once("close", () => resolve(undefined));
  reader.once("SIGINT", () => reader.close());
  let isOpen = true;
  void closed.then(() => {
    isOpen = false;
  });
  return {
    ask: async (text) => (isOpen ? await Promise.race([reader.question(text), closed]) : undefined),
    tell: (text) => writeAll(1, text),
    columns: process.stdout.columns || 80,
    [Symbol.dispose]: () => reader.close(),
  };
}
