import { nearestName } from "../core/names/nearest-name.ts";
import { isPointName, type Point, type PointName, pointNames } from "../core/points/points.ts";
import type { Ports } from "../core/points/ports.ts";
import { whyStopped } from "../core/rules/breaker.ts";
import { decide } from "../core/rules/rule.ts";
import { allow, type Deny, deny, type Verdict } from "../core/rules/verdict.ts";
import { quoted } from "../core/text/quoted.ts";

export const payloadBytesMax = 1024 * 1024;

/** Answers one hook call: bytes in, verdict out. It never throws: it denies what it cannot judge. */
export async function runPoint(name: string, bytes: Uint8Array, ports: Ports): Promise<Verdict> {
  try {
    if (!isPointName(name)) return unknownPoint(name);
    const read = readDocument(name, bytes);
    if ("error" in read) return deny("R-IN-001", read.error);
    const stopped = findStopped(name, ports);
    if (stopped !== undefined) return stopped;
    const document = (await ports.complete?.(name, read.document)) ?? read.document;
    return await judges[name](document, ports);
  } catch (error) {
    return internalFault(error);
  }
}

/** Checks the breaker, which a person sets, before a task starts and before a write. */
function findStopped(name: PointName, ports: Ports): Verdict | undefined {
  if (name !== "PreDispatch" && name !== "PreExecution" && name !== "PreWrite") return undefined;
  return whyStopped({ mode: ports.breaker?.() ?? "CLEAR" }, name === "PreWrite" ? "write" : "start");
}

export function internalFault(error: unknown): Deny {
  const cause = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && "code" in error && error.code === "E-STORE") return deny("E-STORE", cause);
  return deny("E-INTERNAL", `Lockstep failed internally, so the call is denied: ${cause}`);
}

type Judge = (document: unknown, ports: Ports) => Promise<Verdict>;

/** The rules of a point are loaded only when that point is called. */
const judges: Readonly<Record<PointName, Judge>> = {
  PreDispatch: async (...call) => judge(await import("../core/points/pre-dispatch.ts"), ...call),
  PreExecution: async (...call) => judge(await import("../core/points/pre-execution.ts"), ...call),
  PreWrite: async (...call) => judge(await import("../core/points/pre-write.ts"), ...call),
  PostExecution: async (...call) => judge(await import("../core/points/post-execution.ts"), ...call),
  PreComplete: async (...call) => judge(await import("../core/points/pre-complete.ts"), ...call),
  OnLockUpdate: async (...call) => judge(await import("../core/points/on-lock-update.ts"), ...call),
  WatchdogTick: async (...call) => judge(await import("../core/points/watchdog-tick.ts"), ...call),
  PreCompact: async (...call) => judge(await import("../core/points/pre-compact.ts"), ...call),
};

async function judge<Facts>(point: Point<Facts>, document: unknown, ports: Ports): Promise<Verdict> {
  const facts = point.factsOf(document, ports);
  const verdict = await decide(point.rules, facts);
  if (!verdict.allow || point.allowDetails === undefined) return verdict;
  return allow(await point.allowDetails(facts));
}

function readDocument(point: PointName, bytes: Uint8Array): { document: unknown } | { error: string } {
  if (bytes.length > payloadBytesMax)
    return { error: `the payload is longer than ${payloadBytesMax} bytes: send less` };
  const parsed = parse(bytes);
  if ("error" in parsed) return { error: `the payload is not one JSON document: ${parsed.error}` };
  const { document } = parsed;
  if (typeof document === "object" && document !== null)
    if (!Array.isArray(document) || point === "OnLockUpdate") return { document };
  const wanted = point === "OnLockUpdate" ? "an object or a list" : "an object";
  return { error: `the payload of ${point} must be ${wanted}` };
}

function parse(bytes: Uint8Array): { document: unknown } | { error: string } {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { error: "it is not UTF-8" };
  }
  if (text.trim() === "") return { error: "it is empty" };
  try {
    return { document: JSON.parse(text) };
  } catch (error) {
    // The rest of the engine's message quotes the payload, which may contain anything.
    const message = error instanceof Error ? error.message : "";
    return { error: message.replace(/,? (?:\.\.\.)?".*$/s, "") };
  }
}

function unknownPoint(name: string): Verdict {
  const nearest = nearestName(name, pointNames);
  const help = nearest === undefined ? `one of ${pointNames.join(", ")}` : `did you mean ${quoted(nearest)}?`;
  return deny("R-IN-001", `${quoted(name)} is not a hook point: ${help}`, { points: pointNames });
}
