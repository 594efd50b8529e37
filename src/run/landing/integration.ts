import type { Config } from "../../contract/config.ts";
import type { CheckRecord } from "../../core/proof/check-record.ts";
import type { Weakened } from "../../core/proof/material/weakenings.ts";
import { type Judged, untouched } from "../../core/proof/weakening.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import type { Call, Engine } from "../../engine/change/engine.ts";
import type { GateResult } from "../../proof/gate/gate-result.ts";
import type { RemoteTrouble } from "../../workspace/git/remote.ts";
import type { RepositoryState } from "../../workspace/git/repository-state.ts";
import type { Candidate } from "./candidate.ts";

export interface IntegrationContext {
  readonly engine: Engine;
  readonly repository: RepositoryState;
  readonly config: Config;
  readonly call: Call;
  readonly dryRun: boolean;
  /** A project check may fail the same way as on the base. */
  readonly allowRed?: boolean;
  onProgress(line: string, state?: "running"): void;
  /** The command that repeats the landing of a branch; absent in a run, which continues by itself. */
  again?(branch: string): string;
  /** Called when the base has moved: checkouts of finished tasks can be removed, in the background. */
  tidy?(): void;
  /** Called at every point after which a crash leaves something to finish. */
  reached?(point: CrashPoint): void;
}

export const crashPoints = ["proven", "prepared", "moved", "noted", "settled"] as const;
/** `claimed`: a new integrator has made sure at the remote that no push of its predecessor can succeed. */
type CrashPoint = (typeof crashPoints)[number] | "claimed";

export type Outcome = "merged" | "proven" | "proposed" | "nothing" | "refused" | "waiting";

/** The result for one branch. */
export interface Member {
  readonly branch: string;
  readonly outcome: Outcome;
  readonly task: string | null;
  readonly commit: string | null;
  readonly refused: Deny | null;
  readonly changed: readonly string[];
  /** Tests that verify less than before; a person accepted it, or the configuration allows it. */
  readonly weakened: readonly Weakened[];
  /** The judgement of the base's tests. */
  readonly tests: Judged;
  readonly evidence: readonly CheckRecord[];
  /** The pull request. */
  readonly url?: string;
  /** Only a remote keeps it waiting. */
  readonly trouble?: RemoteTrouble;
}

export interface Integrated {
  readonly outcome: Outcome;
  readonly base: string;
  readonly batch: string | null;
  /** The base's new commit, if it moved. */
  readonly commit: string | null;
  readonly gate: readonly GateResult[];
  readonly branches: readonly Member[];
}

export function taskAndFiles({ task, changed }: Candidate) {
  return { task, changed };
}

export function member(branch: string, known: Pick<Member, "outcome"> & Partial<Member>): Member {
  return {
    branch,
    task: null,
    commit: null,
    refused: null,
    changed: [],
    weakened: [],
    tests: untouched,
    evidence: [],
    ...known,
  };
}
