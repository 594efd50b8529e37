import { type Context, createContext, Script } from "node:vm";

const call = new Script("run()");
let box: Context | undefined;

/**
 * Runs a function of ours to its end, or stops it after so many milliseconds and gives nothing. Matching a
 * pattern and parsing can take for ever on a text made for it, and neither can be asked to stop.
 */
export function withDeadline<T>(msMax: number, run: () => T): { readonly value: T } | undefined {
  let done: { value: T } | undefined;
  box ??= createContext({});
  Object.assign(box, {
    run: () => {
      done = { value: run() };
    },
  });
  try {
    call.runInContext(box, { timeout: msMax });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    return undefined;
  }
  return done;
}
