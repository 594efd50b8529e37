import { nearestName } from "../../core/names/nearest-name.ts";
import { type Details, deny } from "../../core/rules/verdict.ts";
import { quoted } from "../../core/text/quoted.ts";
import { builtinHooks } from "./builtin-hooks.ts";
import { type ConfiguredHook, failure, type HookContext, type HookResult } from "./hook.ts";
import type { HookPorts } from "./hook-ports.ts";
import { runCommandHook } from "./run-command-hook.ts";

export interface HooksRun {
  /** Always true for `after_` points: what has happened is not undone. */
  readonly ok: boolean;
  /** The results of the hooks that ran. */
  readonly results: readonly NamedResult[];
  /** Failures at `after_` points. */
  readonly warnings: readonly string[];
}

export interface NamedResult extends HookResult {
  readonly hook: string;
}

/** Runs hooks in order, up to the first failure; each one gets the context of the earlier ones. */
export async function runHooks(
  hooks: readonly ConfiguredHook[],
  context: HookContext,
  ports: HookPorts,
): Promise<HooksRun> {
  const results: NamedResult[] = [];
  for (const hook of hooks) {
    const extra = { ...context.extra, ...contextOf(results) };
    const result = await runHook(hook, { ...context, extra }, ports);
    results.push({ ...result, hook: nameOf(hook), message: oneLine(result.message) });
    if (result.status === "FAILURE") break;
  }
  const failed = results.filter(({ status }) => status === "FAILURE");
  if (!context.hook_point.startsWith("after_")) return { ok: failed.length === 0, results, warnings: [] };
  return { ok: true, results, warnings: failed.map(({ hook, message }) => `${hook}: ${message}`) };
}

/** The combined context of all results; a later one overrides an earlier one. */
export function contextOf(results: readonly HookResult[]): Details {
  // `fromEntries`, because an assignment would treat a key named `__proto__` as the prototype.
  return Object.fromEntries(results.flatMap(({ context }) => Object.entries(context)));
}

async function runHook(hook: ConfiguredHook, context: HookContext, ports: HookPorts): Promise<HookResult> {
  try {
    if ("command" in hook) return await runCommandHook(hook.command, context, ports);
    const builtin = builtinHooks.get(hook.name);
    return builtin === undefined ? unknownHook(hook.name) : await builtin(context, ports, hook.parameters);
  } catch (error) {
    return failure(`the hook crashed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function nameOf(hook: ConfiguredHook): string {
  return "command" in hook ? hook.command.join(" ") : hook.name;
}

/** An unknown hook fails: an unknown gate must not count as passed. */
function unknownHook(name: string): HookResult {
  const names = [...builtinHooks.keys()];
  const nearest = nearestName(name, names);
  const help = nearest === undefined ? `one of ${names.join(", ")}` : `did you mean ${quoted(nearest)}?`;
  return failure(`unknown hook ${quoted(name)}: ${help}`);
}

function oneLine(message: string): string {
  return deny("R-HK-001", message).reason;
}
