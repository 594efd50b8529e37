import type { Verdict } from "../../core/rules/verdict.ts";
import { type AskOptions, ask } from "../open/ask.ts";
import { onlyName, wholeName, withTask } from "../open/find-task.ts";
import { parsed, readDocument, readInput, readOptional, wholeNumber } from "../open/read-input.ts";
import { whoCalls } from "../open/who-calls.ts";
import { writeAll } from "../output/descriptor.ts";
import { printOrWait, printVerdict, tellVerdict } from "../output/verdicts.ts";

/** Commands for other orchestrators: each prints a verdict as one line of JSON and exits 0 or 2. */

export function dispatchCommand(
  file: string | undefined,
  { runner, ...options }: AskOptions & { readonly runner?: string },
): Promise<0 | 2> {
  return printVerdict(async () => {
    const packet = await readDocument(file);
    const runnerPid = runner === undefined ? undefined : wholeNumber("--runner", runner);
    const input = runnerPid === undefined ? { packet } : { packet, runnerPid };
    const verdict = await ask("dispatch", input, { ...options, create: true });
    if (verdict.allow && options.dryRun !== true) await keepScopeBefore(verdict);
    return verdict;
  });
}

/** Takes a snapshot of the scope for a rollback, because the agent starts when this command ends. */
async function keepScopeBefore({ details }: Verdict): Promise<void> {
  const { keepScope } = await import("../open/keep-scope.ts");
  const failed = await keepScope(String(details?.task_id));
  if (failed !== undefined) writeAll(2, `lockstep: no snapshot for a rollback: ${failed}\n`);
}

export function heartbeatCommand(
  name: string,
  { tokens, ...options }: AskOptions & { readonly tokens?: string },
): Promise<0 | 2> {
  return printVerdict(() =>
    withTask(name, (task) => {
      const spent = tokens === undefined ? {} : { tokens: wholeNumber("--tokens", tokens) };
      return ask("heartbeat", { task, ...spent }, options);
    }),
  );
}

export function submitCommand(
  name: string,
  file: string | undefined,
  { json, ...options }: AskOptions & { readonly json?: boolean },
): Promise<0 | 2> {
  let isHandedBack = false;
  const sentence = () => `task ${name} is handed in: \`lockstep run\` verifies and merges it`;
  return tellVerdict({ json: () => json === true || !isHandedBack, text: sentence }, async () => {
    const text = file === undefined && process.stdin.isTTY ? "" : readInput(file);
    // A person who took over a task hands in the content of its checkout.
    const isRequest = file === undefined && text.trim() === "" && (await whoCalls()).kind !== "task";
    if (isRequest) {
      // A program that sent an empty document reads the verdict.
      isHandedBack = process.stdin.isTTY;
      const verdict = await (await import("../run/take-over.ts")).handBackTask(name, options);
      isHandedBack ||= verdict.allow;
      return verdict;
    }
    const asked = { task: await wholeName(name), document: await parsed(text) };
    return withNextStep(await ask("submit", asked, options), name);
  });
}

/** A result that cannot be taken blocks its task: the agent cannot hand in another one at once. */
function withNextStep(verdict: Verdict, name: string): Verdict {
  const state = verdict.details?.state;
  if (verdict.allow || (state !== "BLOCKED" && state !== "ESCALATED")) return verdict;
  const way =
    state === "BLOCKED"
      ? `\`lockstep task retry ${name} FILE\` with its changed assignment`
      : `\`lockstep task resolve ${name} --note "…"\``;
  const next = `the task is ${state} now: it can be dispatched again after a person's ${way}`;
  return { ...verdict, reason: `${verdict.reason}; ${next}` };
}

export function completeCommand(
  name: string,
  file: string | undefined,
  { commit, ...options }: AskOptions & { readonly commit?: string },
): Promise<0 | 2 | 3> {
  return printOrWait(() =>
    withTask(name, async (task) => {
      const document = file === undefined && process.stdin.isTTY ? undefined : await readOptional(file);
      return ask(
        "complete",
        {
          task,
          ...(document === undefined ? {} : { document }),
          ...(commit === undefined ? {} : { commit }),
        },
        options,
      );
    }),
  );
}

/** On a terminal in words: a person who gives up a task that `take` gave them uses it too. */
export function releaseCommand(name: string, options: AskOptions): Promise<0 | 2> {
  const text = () =>
    `the locks of task ${name} are ${options.dryRun === true ? "not released: --dry-run" : "released"}`;
  return tellVerdict({ json: () => !process.stdout.isTTY, text }, async () =>
    ask("release", { task: await onlyName(name) }, options),
  );
}
