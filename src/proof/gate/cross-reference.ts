import { nearestName } from "../../core/names/nearest-name.ts";
import { ApiScan } from "./endpoints/api-scan.ts";
import { type ApiCall, answers, type Endpoint, shownRequest } from "./endpoints/endpoint.ts";
import { prefixOf, serves, shownPath } from "./endpoints/url-path.ts";
import { countedNames, type GateFinding, type GateResult, gateResult, notConfigured } from "./gate-result.ts";
import { scriptParser } from "./reading/parse-script.ts";
import { changedBy, type Merge, presentPaths } from "./source-tree.ts";

/**
 * S1: calls of the API match its endpoints. Endpoints are those of OpenAPI documents and of routes; a call counts
 * if its path begins like that of some endpoint. Calls in changed files are held against them, and all calls where
 * a file changed that serves something.
 */
export async function checkCrossReferences(merge: Merge): Promise<GateResult> {
  const { result, base, changed } = merge;
  const parser = await scriptParser();
  const touched = new Set(changed.map(({ path }) => path));
  const now = await ApiScan.of(result, parser);
  const before = await ApiScan.of(base, parser, { scan: now, changed: touched });
  if (now.endpoints.length + before.endpoints.length === 0)
    return notConfigured(
      "cross_reference",
      "no endpoints are known: there is no OpenAPI document and no route (`gate.cross_reference` takes a command)",
    );
  const serverChanged = [...touched].some((path) => now.isServer(path) || before.isServer(path));
  const callers = serverChanged ? now.callers() : presentPaths(changed);
  const own = new Set([...now.endpoints, ...before.endpoints].map(({ segments }) => prefixOf(segments)));
  const calls = callers
    .flatMap((path) => now.calls(path))
    .filter(({ segments }) => prefixOf(segments) !== undefined && own.has(prefixOf(segments)));
  const unserved = calls.filter((call) => !now.endpoints.some((one) => answers(one, call)));
  const isOld = (call: ApiCall) =>
    !touched.has(call.path) && !before.endpoints.some((one) => answers(one, call));
  const old = unserved.filter(isOld);
  const found = unserved.filter((call) => !isOld(call));
  const notes = [`${calls.length} calls were held against ${now.endpoints.length} endpoints`];
  if (old.length > 0) notes.push(`served by nothing before: ${countedNames("call", old.map(placeOf))}`);
  if (now.unread.length > 0) notes.push(`not parsed: ${countedNames("file", now.unread)}`);
  if (now.unreadable.length > 0) {
    const routes = countedNames("route", now.unreadable);
    if (found.length > 0)
      notes.push(
        `served by nothing, unless by ${routes} whose path cannot be read: ${countedNames("call", found.map(placeOf))}`,
      );
    return gateResult("cross_reference", [], notes);
  }
  return gateResult(
    "cross_reference",
    found.map((call) => asFinding(call, { now, before, changed })),
    notes,
  );
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

/** The other place: what served it before, what serves the path for other methods, or what is most like it. */
function whyUnserved(call: ApiCall, endpoints: readonly Endpoint[], gone: Endpoint | undefined): string {
  if (gone !== undefined) return `\`${shownRequest(gone)}\` of ${placeOf(gone)} is gone with this change`;
  const same = endpoints.filter((one) => serves(one.segments, call.segments));
  const [first] = same;
  if (first !== undefined) {
    const methods = [...new Set(same.map(({ method }) => method))].join(", ");
    return `${placeOf(first)} serves that path for ${methods} alone`;
  }
  const prefix = prefixOf(call.segments);
  const alike = endpoints.filter(({ segments }) => prefixOf(segments) === prefix);
  const nearest = nearestName(
    shownPath(call.segments),
    alike.map(({ segments }) => shownPath(segments)),
  );
  const shown = alike.find(({ segments }) => shownPath(segments) === nearest) ?? alike[0];
  return shown === undefined
    ? "nothing else begins like it now"
    : `the nearest is \`${shownRequest(shown)}\` of ${placeOf(shown)}`;
}
