import type { ShellAnalysis } from "../../core/shell/types.ts";
import { canRunInside, runsOfHooks } from "../../guard/contain/parts-inside.ts";
import { readGuardSettings } from "../../guard/world/guard-settings.ts";
import type { Project } from "../../workspace/files/find-project.ts";
import { activeHooks } from "../../workspace/git/active-hooks.ts";
import { safeSearchPath } from "../../workspace/process/search-path.ts";
import { findBubblewrap } from "../../workspace/sandbox/find-bubblewrap.ts";
import { stateFolder } from "../../workspace/state/state-folder.ts";

interface Part {
  readonly by: string;
  readonly why: string;
}

/** What becomes of the programs of a command that cannot be followed. */
export interface ProgramsInside {
  /** They run in the sandbox of the lock. */
  readonly inside: readonly Part[];
  /** They run outside; the tree is compared afterwards. */
  readonly outside: readonly Part[];
  /** Why the guard refuses them. */
  readonly refused?: string;
}

export async function programsInside(
  { opaque, hookRuns }: Pick<ShellAnalysis, "opaque" | "hookRuns">,
  project: Project,
): Promise<ProgramsInside> {
  const { place, commonFolder } = project;
  const mode = (await readGuardSettings(place.root, stateFolder(project))).opaque;
  const hooks =
    commonFolder === undefined || hookRuns.length === 0
      ? undefined
      : await activeHooks(place.root, commonFolder);
  const named = (hooks?.names ?? []).filter((name) => hookRuns.some((run) => run.hooks.includes(name)));
  const ofGit: Part[] =
    runsOfHooks(hookRuns, hooks).length === 0 || named.length === 0
      ? []
      : [{ by: "git", why: `its hooks (${named.join(", ")}) are programs, and only they run inside` }];
  const closed = "; git's own folder is read-only there, so a person has to run commands that write to it";
  const programs = opaque.map(({ by, why }) => ({ by, why: by === "git" ? `${why}${closed}` : why }));
  const parts = distinct([...programs, ...ofGit]);
  if (mode === "deny" && opaque.length > 0)
    return {
      inside: [],
      outside: [],
      refused: "`guard.opaque: deny` refuses programs that cannot be followed",
    };
  const missing = mode === "sandbox" ? await whyNoSandbox(commonFolder) : "`guard.opaque` is `verify`";
  if (missing !== undefined) return { inside: [], outside: parts.map(({ by }) => ({ by, why: missing })) };
  return {
    inside: parts.filter(canRunInside),
    outside: parts
      .filter((part) => !canRunInside(part))
      .map(({ by }) => ({
        by,
        why: "it acts elsewhere or on the shell itself, which no sandbox can confine",
      })),
  };
}

async function whyNoSandbox(commonFolder: string | undefined): Promise<string | undefined> {
  if (commonFolder === undefined) return "this is not a git repository";
  const found = await findBubblewrap({ platform: process.platform, path: safeSearchPath() });
  return "missing" in found ? found.missing : undefined;
}

function distinct(parts: readonly Part[]): readonly Part[] {
  return [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()];
}
