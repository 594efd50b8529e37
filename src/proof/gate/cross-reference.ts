import { nearestName } from "../../core/names/nearest-name.ts";
import { ApiScan } from "./endpoints/api-scan.ts";
import { type ApiCall, answers, type Endpoint, shownRequest } from "./endpoints/endpoint.ts";
import { prefixOf, serves, shownPath } from "./endpoints/url-path.ts";
import {
  countedEndings,
  countedNames,
  type GateFinding,
  type GateResult,
  judged,
  notConfigured,
} from "./gate-result.ts";
import { scriptParser } from "./reading/parse-script.ts";
import { changedBy, type Merge, presentPaths } from "./source-tree.ts";

/**
 * Calls of the API must match its endpoints (S1). Endpoints come from OpenAPI documents and routes. A call counts if its
 * path begins like that of an endpoint. Calls in changed files are checked, and all calls if a file changed that serves
 * something. The rest of the tree is read only if there is something to check.
 */
export async function checkCrossReferences(merge: Merge): Promise<GateResult> {
  const { result, base, changed } = merge;
  const parser = await scriptParser();
  const touched = new Set(changed.map(({ path }) => path));
  const now = new ApiScan(result, parser);
  const before = new ApiScan(base, parser, { scan: now, changed: touched });
  await now.read(touched);
  await before.read(touched);
  if (![...touched].some((path) => now.concerns(path) || before.concerns(path)))
    return judged("cross_reference", {
      findings: [],
      notes: ["no changed file that was read serves or calls an API", ...skippedText(merge, now)],
      looked: [...touched].some((path) => now.reads(path) || before.reads(path)),
    });
  const serverChanged = [...touched].some((path) => now.isServer(path) || before.isServer(path));
  await now.readAll({ calls: serverChanged });
  await before.readAll({ calls: false });
  if (now.endpoints.length + before.endpoints.length === 0)
    return notConfigured(
      "cross_reference",
      "no endpoints are known: there is no OpenAPI document and no route (set gate.cross_reference)",
    );
  const notes = skippedText(merge, now);
  if (now.unread.length > 0) notes.push(`not checked: ${countedNames("file", now.unread)} (does not parse)`);
  if (now.endpoints.length > comparedMax || before.endpoints.length > comparedMax)
    return judged("cross_reference", {
      findings: [],
      notes: [`more than ${comparedMax} endpoints: no call was checked`, ...notes],
      looked: false,
    });
  const calls = ownCalls(serverChanged ? now.callers() : presentPaths(changed), now, before);
  const isServed = (call: ApiCall, { endpoints }: ApiScan) => endpoints.some((one) => answers(one, call));
  const unserved = calls.filter((call) => !isServed(call, now));
  const [old, found] = parted(unserved, (call) => !touched.has(call.path) && !isServed(call, before));
  notes.unshift(`${calls.length} calls were compared with ${now.endpoints.length} endpoints`);
  if (old.length > 0) notes.push(`served by nothing before: ${countedNames("call", old.map(placeOf))}`);
  const routes = now.unreadable;
  if (routes.length === 0 || found.length === 0)
    return judged("cross_reference", {
      findings: found.map((call) => asFinding(call, { now, before, changed })),
      notes,
      looked: true,
    });
  const doubt = `unless by ${countedNames("route", routes)} whose path cannot be read`;
  notes.push(`served by nothing, ${doubt}: ${countedNames("call", found.map(placeOf))}`);
  return judged("cross_reference", { findings: [], notes, looked: found.length < calls.length });
}

function skippedText({ changed }: Merge, now: ApiScan): string[] {
  const skipped = presentPaths(changed).filter((path) => !now.reads(path));
  if (skipped.length === 0) return [];
  const why = "tests, and files that are neither JS, TS nor OpenAPI; set gate.cross_reference";
  return [`not checked: ${countedEndings(skipped)} (${why})`];
}

/** Each call is compared with each endpoint. */
const comparedMax = 5000;

/** The calls to check: those that begin like an endpoint of the project, before or after the merge. */
function ownCalls(callers: readonly string[], now: ApiScan, before: ApiScan): ApiCall[] {
  const own = new Set([...now.endpoints, ...before.endpoints].map(({ segments }) => prefixOf(segments)));
  own.delete(undefined);
  return callers
    .flatMap((path) => now.calls(path))
    .filter(({ segments }) => own.has(prefixOf(segments)))
    .slice(0, comparedMax);
}

function parted<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

function placeOf({ path, line }: { readonly path: string; readonly line: number }): string {
  return `${path}:${line}`;
}

interface Sides {
  readonly now: ApiScan;
  readonly before: ApiScan;
  readonly changed: Merge["changed"];
}

function asFinding(call: ApiCall, { now, before, changed }: Sides): GateFinding {
  const gone = before.endpoints.find((one) => answers(one, call));
  return {
    path: call.path,
    line: call.line,
    message: `calls \`${shownRequest(call)}\`, which no endpoint serves: ${whyUnserved(call, now.endpoints, gone)}`,
    ...changedBy(changed, call.path, gone?.path),
  };
}

/** Names the endpoint that served the call before, one that serves the path for other methods, or the most similar one. */
function whyUnserved(call: ApiCall, endpoints: readonly Endpoint[], gone: Endpoint | undefined): string {
  if (gone !== undefined) return `\`${shownRequest(gone)}\` of ${placeOf(gone)} was removed by this change`;
  const same = endpoints.filter((one) => serves(one.segments, call.segments));
  const [first] = same;
  if (first !== undefined) {
    const methods = [...new Set(same.map(({ method }) => method))].join(", ");
    return `${placeOf(first)} serves that path only for ${methods}`;
  }
  const prefix = prefixOf(call.segments);
  const alike = endpoints.filter(({ segments }) => prefixOf(segments) === prefix);
  const nearest = nearestName(
    shownPath(call.segments),
    alike.map(({ segments }) => shownPath(segments)),
  );
  const shown = alike.find(({ segments }) => shownPath(segments) === nearest) ?? alike[0];
  return shown === undefined
    ? "no endpoint has a similar path"
    : `the nearest is \`${shownRequest(shown)}\` of ${placeOf(shown)}`;
}
