import { textOf } from "../imports/script-imports.ts";
import { lineOf, type SyntaxNode } from "../reading/walk-script.ts";
import type { ClientCall } from "./api-facts.ts";
import type { ScriptNames } from "./script-names.ts";
import { isStandIn, methodNames } from "./script-routes.ts";
import { nameOf, propertiesOf, textWithGaps, unwrapped } from "./script-text.ts";

const fetchName = /^(?:\$?fetch|ofetch|useFetch|Request|axios|ky|got)$/;
const clientName = /^(?:\$?axios|ky|got|superagent|\$|jQuery|\$?http)$/;
/** Names that can be clients of any server. They count only if this project created them. */
const clientLike = /^(?:api|client|request|instance)$|(?:Api|Client|Http|Axios)$/i;

/** The calls of other servers that a script makes, `starts` being the calls that are routes. */
export function clientCallsIn(names: ScriptNames, starts: ReadonlySet<number>): ClientCall[] {
  return names.calls.flatMap((call) => (starts.has(call.start) ? [] : callIn(call, names)));
}

function callIn(call: SyntaxNode, names: ScriptNames): ClientCall[] {
  const callee = unwrapped(call.callee);
  const name = nameOf(callee);
  if (callee === undefined || name === undefined || !/^Identifier$|MemberExpression$/.test(callee.type))
    return [];
  const given = call.arguments as SyntaxNode[];
  const line = lineOf(call);
  const isMember = callee.type !== "Identifier";
  const client = isMember ? nameOf(callee.object) : name;
  if (fetchName.test(name) && (!isMember || name === "fetch"))
    return asCall(fetched(given, names), { line, client, mustBeMade: false });
  if (!isMember || client === undefined) return [];
  const mustBeMade = !clientName.test(client);
  if (mustBeMade && !clientLike.test(client) && !names.clients.has(client)) return [];
  if (name === "request" || name === "ajax")
    return asCall(fetched(given, names), { line, client, mustBeMade });
  const verb = name === "del" ? "delete" : name;
  if (isStandIn(names.imports.get(client))) return [];
  if (!methodNames.has(verb)) return [];
  return asCall({ url: urlIn(given[0], names), method: verb.toUpperCase() }, { line, client, mustBeMade });
}

interface Target {
  readonly url: string | undefined;
  readonly method: string | undefined;
}

function asCall({ url, method }: Target, rest: Omit<ClientCall, "url" | "method">): ClientCall[] {
  return url === undefined ? [] : [{ url, method, ...rest }];
}

/** `fetch(url, { method })`, or all of it in one object. */
function fetched([first, second]: readonly SyntaxNode[], names: ScriptNames): Target {
  const whole = propertiesOf(first);
  if (whole !== undefined)
    return {
      url: urlIn(whole.get("url"), names),
      method: methodIn(whole.get("method") ?? whole.get("type"), whole.all),
    };
  const options = propertiesOf(second);
  const isPlain = second === undefined || (options?.all ?? false);
  return { url: urlIn(first, names), method: methodIn(options?.get("method"), isPlain) };
}

/** Without a method, a call is a GET. */
function methodIn(node: SyntaxNode | undefined, isPlain: boolean): string | undefined {
  if (node !== undefined) return textOf(node)?.toUpperCase();
  return isPlain ? "GET" : undefined;
}

function urlIn(node: SyntaxNode | undefined, { constants }: ScriptNames): string | undefined {
  const url = unwrapped(node);
  if (url === undefined) return undefined;
  const isUrl = url.type === "NewExpression" && nameOf(url.callee) === "URL";
  return textWithGaps(isUrl ? (url.arguments as unknown[])[0] : url, constants);
}
