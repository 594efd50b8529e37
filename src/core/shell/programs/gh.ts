import { optionReader } from "../read-options.ts";
import { known, knownParts, literal, type Text } from "../text.ts";
import type { Call, Program } from "../types.ts";
import { repositoryName } from "./git/remotes.ts";
import { describe, writeTrees } from "./row/describe.ts";
import { gh as ghRow } from "./rows/gh.ts";

const ghCommands = describe(ghRow);

/** What is no row: requests by path, and clones into a folder of the repository's name. */
const gh: Program = (call, effects) => {
  const words = call.args.map((word) => known(word) ?? "");
  const [topic = "", verb = ""] = words.filter((word) => !word.startsWith("-"));
  const after = (word: string): Call => ({ ...call, args: call.args.slice(words.indexOf(word) + 1) });
  if (topic === "api") return api(after("api"), effects);
  if (/^(?:repo|gist)$/.test(topic) && verb === "clone") return clone(after("clone"), effects);
  ghCommands(call, effects);
};

const readApi = optionReader({
  values: "X,method f,raw-field F,field H,header q,jq t,template input p,preview hostname cache",
  flags: "i,include paginate silent slurp verbose",
});

/** A request that changes refs on the server is a push by another way. */
const api: Program = (call, effects) => {
  const options = readApi(call.args);
  const method = (known(options.value("X") ?? literal("")) ?? "POST").toUpperCase();
  const path = knownParts(options.operands[0] ?? []);
  const fields = options
    .all("f", "F")
    .map((field) => knownParts(field))
    .join("\n");
  const changes = method === "" ? options.has("f", "F", "input") : method !== "GET";
  if (!changes) return;
  if (
    /(?:^|\/)(?:git\/refs|merges?|contents|branches|git\/(?:commits|tags|trees)|dispatches|hooks|keys)(?:\/|$|\?)/.test(
      path,
    )
  ) {
    effects.refuse("refs", "the request changes the repository on the server");
  } else if (/graphql/.test(path) && /\bmutation\b/.test(fields))
    effects.opaque("the request changes something on the server");
};

const clone: Program = (call, effects) => {
  const operands = cloneOperands(call.args);
  const [repository, folder] = operands;
  if (repository === undefined) return;
  writeTrees([folder ?? repositoryName(repository)], effects);
};

function cloneOperands(args: readonly Text[]): readonly Text[] {
  const dashes = args.findIndex((word) => known(word) === "--");
  const own = dashes < 0 ? args : args.slice(0, dashes);
  return readClone(own).operands;
}
const readClone = optionReader({ values: "u,upstream-remote-name" });

export const ghs = new Map<string, Program>([["gh", gh]]);
