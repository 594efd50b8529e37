import { lstatSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Project } from "../../workspace/files/find-project.ts";
import { forgetOrchestrator, showOrchestrator } from "../../workspace/state/active-file.ts";
import { openStateFolder, openStateSubfolder, stateFolder } from "../../workspace/state/state-folder.ts";

/** The folders of orchestrator state, audit log and reports. They need not exist. */
export interface OrchestratorFolders {
  readonly tmp: string;
  readonly logs: string;
  readonly reports: string;
  /** Creates the folder if it is missing. */
  open(name: "tmp" | "logs" | "reports"): void;
  /** Marks that an orchestrator is active, or no longer is, for hooks that cannot ask the server. */
  showUsed(now: Date): void;
  showEnded(): void;
}

/** `root` is `guard.root`: a folder of the project that replaces Lockstep's own. */
export function orchestratorFolders(project: Project, root: string | null): OrchestratorFolders {
  const top = root === null ? stateFolder(project) : join(mainRoot(project), root);
  return {
    tmp: join(top, "tmp"),
    logs: join(top, "logs"),
    reports: join(top, "reports"),
    open(name) {
      if (root === null) openStateSubfolder(project, name);
      else mkdirSync(join(top, name), { recursive: true, mode: 0o700 });
    },
    showUsed: (now) => showOrchestrator(openStateFolder(project), now.getTime()),
    showEnded: () => forgetOrchestrator(stateFolder(project)),
  };
}

/** All linked worktrees of a repository share the folder in its main checkout. */
function mainRoot({ place, commonFolder }: Project): string {
  const dotGit = lstatSync(join(place.root, ".git"), { throwIfNoEntry: false });
  const isLinked = dotGit?.isFile() === true && commonFolder?.endsWith("/.git") === true;
  return isLinked && commonFolder !== undefined ? dirname(commonFolder) : place.root;
}
