import { optionReader } from "../read-options.ts";
import { known, knownParts, literal, type Text } from "../text.ts";
import type { Call, Effects, Program } from "../types.ts";
import { mention, reading, writeFiles, writeTrees } from "./describe.ts";
import { repositoryName } from "./git-remotes.ts";

/** Titles, bodies and comments are data, so most of `gh` only talks to the server. */
const gh: Program = (call, effects) => {
  const words = call.args.map((word) => known(word) ?? "");
  const [topic = "", verb = ""] = words.filter((word) => !word.startsWith("-"));
  const rest: Call = { ...call, args: call.args.slice(words.indexOf(verb) + 1) };
  if (topic === "copilot" || topic === "agent-task")
    return effects.refuse("agent", `\`gh ${topic}\` is another agent`);
  if (topic === "api") return api({ ...call, args: call.args.slice(words.indexOf("api") + 1) }, effects);
  const program = commands.get(`${topic} ${verb}`);
  if (program !== undefined) return program(rest, effects);
  if (
    /^(?:alias|config|extension|extensions|ext)$/.test(topic) &&
    !/^(?:list|get|search|browse|)$/.test(verb)
  ) {
    effects.refuse("loader", `\`gh ${topic}\` changes what later commands do`);
  } else if (
    !/^(?:pr|issue|run|workflow|release|repo|gist|search|status|label|milestone|project|cache|secret|variable|auth|browse|ruleset|org|ssh-key|gpg-key|codespace|cs|help|version|alias|config|extension|extensions|ext|completion|attestation|)$/.test(
      topic,
    )
  ) {
    effects.opaque("nothing is known of this command");
    mention(call.args, effects);
  }
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

const refs =
  (why: string): Program =>
  (_, effects) =>
    effects.refuse("refs", why);
const opaque =
  (why: string): Program =>
  (_, effects) =>
    effects.opaque(why);

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

const download = reading(
  { values: "D,dir O,output p,pattern n,name R,repo A,archive", flags: "clobber skip-existing" },
  (options, effects) => {
    const output = options.value("O");
    if (output !== undefined) writeFiles([output], effects);
    else writeTrees([options.value("D") ?? literal(".")], effects);
  },
);

const checkout: Program = (_, effects) => {
  writeTrees([literal(".")], effects);
};

/** Closing or merging with `--delete-branch` also deletes the local branch. */
const close: Program = (call, effects) => {
  if (call.args.some((word) => /^(?:-d|--delete-branch)$/.test(known(word) ?? ""))) {
    effects.refuse("refs", "a branch is deleted");
  }
};

const create: Program = (call, effects: Effects) => {
  const words = call.args.map((word) => known(word) ?? "");
  if (words.includes("--push")) effects.refuse("refs", "a push moves refs of another repository");
  if (words.some((word) => /^(?:-c|--clone)$/.test(word))) effects.opaque("it clones the new repository");
};

const commands = new Map<string, Program>([
  ["pr checkout", checkout],
  ["pr merge", refs("the pull request is merged on the server")],
  ["pr close", close],
  ["pr update-branch", refs("a branch is moved on the server")],
  ["repo clone", clone],
  ["gist clone", clone],
  ["repo create", create],
  ["repo fork", opaque("it may clone the fork")],
  ["repo sync", refs("a branch is moved")],
  ["repo delete", refs("a repository is deleted")],
  ["repo rename", refs("a repository is renamed")],
  ["repo edit", refs("a repository's settings are changed")],
  ["repo archive", refs("a repository is archived")],
  ["run download", download],
  ["release download", download],
  ["release delete", refs("a release is deleted")],
  ["gist edit", opaque("it opens an editor")],
  ["auth setup-git", (_, effects) => effects.refuse("loader", "git's credential settings are changed")],
  ["auth login", opaque("it changes credentials")],
  ["auth logout", opaque("it changes credentials")],
  ["codespace ssh", opaque("it runs on another machine")],
  ["cs ssh", opaque("it runs on another machine")],
]);

export const ghs = new Map<string, Program>([["gh", gh]]);
