import { anyHook } from "../../core/shell/programs/git/hooks.ts";
import type { HookRun, Opaque } from "../../core/shell/types.ts";
import type { HooksOf } from "../../workspace/git/active-hooks.ts";

/** These act on another machine, in a container, or on the shell itself, which no sandbox can contain. */
const elsewhere = new Set("eval ssh docker podman nerdctl kubectl helm nvm conda mamba sdk rvm".split(" "));

export function canRunInside({ by }: Pick<Opaque, "by">): boolean {
  return !elsewhere.has(by);
}

/** The runs in which a hook of the repository is active. */
export function runsOfHooks(
  hookRuns: readonly HookRun[],
  hooks: Pick<HooksOf, "names"> | undefined,
): readonly HookRun[] {
  const runs = new Set([...(hooks?.names ?? []), anyHook]);
  return hookRuns.filter((run) => run.hooks.some((name) => runs.has(name)));
}
