import { lacksFacts } from "../../core/points/lacks-facts.ts";
import { pointNames } from "../../core/points/points.ts";
import type { Ports } from "../../core/points/ports.ts";
import { deny, type Verdict } from "../../core/rules/verdict.ts";
import { internalFault, payloadBytesMax, runPoint } from "../../hooks/run-point.ts";
import { nodeDisk } from "../../workspace/files/disk.ts";
import { currentFolder, findProject } from "../../workspace/files/find-project.ts";
import { shownBreaker } from "../../workspace/state/breaker-file.ts";
import { hasLedger } from "../../workspace/state/has-ledger.ts";
import { readAll, writeOrThrow } from "../output/descriptor.ts";

const usage = `usage: lockstep hook POINT < payload.json
points: ${pointNames.join(", ")}
prints one line of JSON; exit 0 allows, exit 2 denies
`;

/**
 * `lockstep hook POINT`. The exit code is always 0 or 2, and 0 only after an allow was printed: several callers let the
 * call through on any code but 2.
 */
export async function hookCommand(words: readonly string[]): Promise<0 | 2> {
  process.exitCode = 2;
  if (words.length === 1 && (words[0] === "--help" || words[0] === "-h")) return showUsage();
  let exitCode: 0 | 2 | undefined;
  const answer = (verdict: Verdict) => {
    exitCode ??= print(verdict);
    process.exitCode = exitCode;
    return exitCode;
  };
  const fail = (error: unknown) => process.exit(answer(internalFault(error)));
  process.on("uncaughtException", fail).on("unhandledRejection", fail);
  process.on("exit", () => answer(internalFault("it ended without a verdict")));
  try {
    return answer(await judge(words));
  } catch (error) {
    return answer(internalFault(error));
  }
}

async function judge(words: readonly string[]): Promise<Verdict> {
  const [point] = words;
  if (point === undefined || words.length > 1)
    return deny("R-IN-001", "name exactly one hook point: `lockstep hook POINT`", { points: pointNames });
  let bytes: Uint8Array;
  try {
    bytes = readAll(0, payloadBytesMax);
  } catch (error) {
    return deny("R-IN-001", `the payload cannot be read from stdin: ${(error as Error).message}`);
  }
  return runPoint(point, bytes, nodePorts());
}

/** The secret scan and the snapshot writer are large and rarely used, so they are loaded on demand. */
function nodePorts(): Ports {
  const project = findProject(currentFolder());
  return {
    place: project.place,
    disk: nodeDisk(),
    findSecrets: async (text) => (await import("../../core/secrets/find-secrets.ts")).findSecrets(text),
    saveSnapshot: async (session, snapshot) => {
      const { saveSnapshot } = await import("../../workspace/state/save-snapshot.ts");
      return saveSnapshot(project, { session, snapshot, at: new Date() });
    },
    complete: async (point, document) => {
      if (!lacksFacts(point, document) || process.env.LOCKSTEP_SOCKET || !hasLedger(project)) return document;
      return (await import("./complete-payload.ts")).completePayload(project, point, document);
    },
    breaker: () => shownBreaker(project),
  };
}

/** An allow that cannot be printed counts as a deny. */
function print(verdict: Verdict): 0 | 2 {
  const delivered = tryWrite(1, `${JSON.stringify(verdict)}\n`);
  if (verdict.allow && delivered) return 0;
  const { code, reason } = verdict.allow
    ? deny("E-INTERNAL", "the answer cannot be written to stdout")
    : verdict;
  tryWrite(2, `lockstep: ${code}: ${reason}\n`);
  return 2;
}

function tryWrite(descriptor: number, text: string): boolean {
  try {
    writeOrThrow(descriptor, text);
    return true;
  } catch {
    return false;
  }
}

function showUsage(): 0 {
  tryWrite(2, usage);
  process.exitCode = 0;
  return 0;
}
