import type { ToolCall } from "../../contract/tool-call.ts";
import { whyStopped } from "../../core/rules/breaker.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { containCommand } from "../../core/shell/contain-command.ts";
import type { CommandLimits } from "../../core/shell/judge-command.ts";
import { anyHook } from "../../core/shell/programs/git/hooks.ts";
import { quoted } from "../../core/text/quoted.ts";
import type { GuardFacts } from "../../engine/views/guard-facts.ts";
import type { HooksOf } from "../../workspace/git/active-hooks.ts";
import { canRunInside, runsOfHooks } from "../contain/parts-inside.ts";
import type { ReadOnlyPaths } from "../world/closed-paths.ts";
import type { GuardSettings, GuardStore, GuardWorld, Judged } from "../world/guard-world.ts";
import { ignoredOutput } from "../world/ignored-output.ts";
import type { CallOwner } from "../world/pending-calls.ts";
import type { ReachedSetting } from "../world/reached-settings.ts";
import type { Caller } from "../world/who-is-calling.ts";
import { passed, refusalOf, refused } from "./answers.ts";
import { limitsOf } from "./call-limits.ts";
import { ownerOf } from "./finish-calls.ts";
import { findForeignStaged } from "./judge-index.ts";
import { judgeOperation, type Unknown } from "./judge-operation.ts";
import { mayChange } from "./may-change.ts";
import { refuseAndRecord } from "./refuse-and-record.ts";
import { analyzeFor } from "./shell-call.ts";
import { isUnknownWriter, rememberCall, treeOf } from "./watched-changes.ts";

export interface Judging {
  readonly call: ToolCall;
  readonly world: GuardWorld;
  readonly store: GuardStore;
  readonly facts: GuardFacts;
  readonly settings: GuardSettings;
}

/** Applies the PreWrite rules to everything that a call of a task's agent would write. */
export async function judgeTaskCall(
  caller: Extract<Caller, { kind: "task" }>,
  judging: Judging,
): Promise<Judged> {
  const { call, world, facts } = judging;
  const { holder } = caller;
  const analyze = (command: string) => analyzeFor(command, { call, world, task: holder.key });
  const stopped = await findStopped(facts, call, () => mayChange(call, analyze));
  if (stopped !== undefined) return refused(caller, stopped);
  const limits = limitsOf(holder, judging);
  const judge = (more: Pick<CommandLimits, "output"> = {}) =>
    judgeOperation(call, { limits: { ...limits, ...more }, task: holder.id, analyze });
  const strict = await judge();
  const output =
    strict.objections.length === 0 || call.operation.kind !== "shell"
      ? undefined
      : await ignoredOutput(strict.objections, treeOf(call, world), limits);
  const found = output === undefined ? strict : await judge({ output });
  const refusal = refusalOf(found.objections);
  if (refusal !== undefined) return refuseAndRecord(caller, refusal, judging);
  const staged = await findForeignStaged(found.indexUses, limits, judging);
  if (staged !== undefined) return refuseAndRecord(caller, staged, judging);
  return letRun(caller, { ...found, limits }, judging);
}

/** Allows a call without objections. An unknown tool may still write anywhere, so its tree is compared afterwards. */
async function letPass(caller: Caller, { call, world }: Judging): Promise<Judged> {
  if (isUnknownWriter(call)) await rememberCall(call, world, { owner: ownerOf(caller, call) });
  return passed(caller);
}

interface Running extends Unknown {
  readonly limits: CommandLimits;
}

/**
 * Runs a call without objections. Parts that cannot be analysed (programs, git hooks) run in a sandbox that permits
 * writes only in the lock, and the tree is compared afterwards. An agent in its own checkout is already in a sandbox.
 */
export async function letRun(caller: Caller, found: Running, judging: Judging): Promise<Judged> {
  const { call, world, settings } = judging;
  const reached =
    settings.opaque === "sandbox" && found.programs.includes("git")
      ? await world.reachedSetting?.(treeOf(call, world), found.limits.lock)
      : undefined;
  if (reached !== undefined) return letReachedRun(caller, { found, reached }, judging);
  const hooks = found.hookRuns.length === 0 ? undefined : await world.hooks?.(treeOf(call, world));
  const hookRuns = runsOfHooks(found.hookRuns, hooks);
  const running = { ...found, hookRuns };
  if (found.opaque.length + hookRuns.length === 0) return letPass(caller, judging);
  if (world.trees === undefined) return passed(caller);
  if (settings.opaque === "deny") {
    const [first] = running.opaque;
    if (first === undefined) return passed(caller); // calls that could have changed a hook were refused too
    const why = `what it writes cannot be known before it runs (${first.by}: ${first.why})`;
    const way = "run its steps as separate commands, or ask a person to change `guard.opaque`";
    return refuseAndRecord(caller, deny("R-PW-001", `${why}: ${way}`), judging);
  }
  const owner = ownerOf(caller, call);
  const { command, readOnly } =
    settings.opaque === "sandbox" ? await contained({ ...running, ...owner }, hooks, judging) : outside;
  await rememberCall(call, world, readOnly === undefined ? { owner } : { owner, readOnly });
  return passed(caller, command === undefined ? {} : { command });
}

/** Inside the sandbox git can only read, so a command that stages or commits is refused. */
async function letReachedRun(
  caller: Caller,
  { found, reached }: { readonly found: Running; readonly reached: ReachedSetting },
  judging: Judging,
): Promise<Judged> {
  const { world } = judging;
  const why = `git's setting ${quoted(reached.key)} names ${quoted(reached.path)}, which this agent may write, and git runs outside the sandbox`;
  const writes = found.hookRuns.some(({ hooks }) => hooks.some((name) => name !== anyHook));
  if (writes || found.indexUses.length > 0) {
    const refusal = deny("R-PW-002", `${why}: ask a person to run this command`, { path: reached.path });
    return refuseAndRecord(caller, refusal, judging);
  }
  const { reachedSetting: _, ...rest } = world;
  const inside = { ...found, opaque: [...found.opaque, { by: "git", why }] };
  return letRun(caller, inside, { ...judging, world: rest });
}

interface Contained {
  /** The call's command with its unknown programs in the sandbox; absent if they cannot run there. */
  readonly command?: string;
  /** The paths that are read-only for all of them; absent if one of them runs outside the sandbox. */
  readonly readOnly?: ReadOnlyPaths;
}

const outside: Contained = {};

async function contained(
  { opaque, hookRuns, limits, owner }: Running & CallOwner,
  hooks: HooksOf | undefined,
  { call, world }: Judging,
): Promise<Contained> {
  const { operation } = call;
  if (operation.kind !== "shell" || call.replaceable === undefined || world.sandbox === undefined)
    return outside;
  const here = opaque.filter(canRunInside);
  if (here.length + hookRuns.length === 0) return outside;
  const sandbox = await world.sandbox();
  const own = hooks === undefined || hookRuns.length === 0 ? {} : { hooks };
  const prepared = await sandbox.prepare({ tree: treeOf(call, world), limits, owner, ...own });
  if ("missing" in prepared) return outside;
  const command = containCommand(
    operation.command,
    { opaque: here, hookRuns },
    { prefixes: prepared.prefixes, inQuotes: call.replaceable === "in quotes" },
  );
  sandbox.remember(prepared.id, call, command);
  return here.length < opaque.length ? { command } : { command, readOnly: prepared.readOnly };
}

/** A person's decision comes first: no writes while everything is stopped, no new subagents while paused. */
export async function findStopped(
  { breaker }: GuardFacts,
  call: ToolCall,
  changes: () => Promise<boolean>,
): Promise<Deny | undefined> {
  if (call.operation.kind === "spawn") return whyStopped({ mode: breaker }, "start");
  const stopped = whyStopped({ mode: breaker }, "write");
  return stopped !== undefined && (await changes()) ? stopped : undefined;
}
