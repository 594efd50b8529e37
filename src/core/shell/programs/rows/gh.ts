import { known, knownParts, literal, type Text } from "../../text.ts";
import { repositoryName } from "../git/remotes.ts";
import type { Deed, Hook, Row } from "../row/row.ts";
import { writeTrees } from "../row/words.ts";

const refs = (why: string): Deed => ({ refuses: { kind: "refs", why } });
const changes = (topic: string): Deed => ({
  refuses: { kind: "loader", why: `\`gh ${topic}\` changes what later commands do` },
  commands: { "list get search browse": {} },
  alone: {},
});
const agent = (topic: string): Deed => ({ refuses: { kind: "agent", why: `\`gh ${topic}\` is another agent` } });
const download: Deed = { values: "p,pattern n,name A,archive", files: "O,output", folders: "D,dir", cases: [{ when: "O D" }, { fixed: ".", tree: true }] };
const elsewhere = { opaque: "it runs on another machine" };

const serverPaths = /(?:^|\/)(?:git\/refs|merges?|contents|branches|git\/(?:commits|tags|trees)|dispatches|hooks|keys)(?:\/|$|\?)/;

/** A request that changes refs on the server is a push by another way. */
const requests: Hook = (options, effects) => {
  const method = (known(options.value("X") ?? literal("")) ?? "POST").toUpperCase();
  const path = knownParts(options.operands[0] ?? []);
  const isMutation = options.all("f", "F").some((field) => /\bmutation\b/.test(knownParts(field)));
  const changes = method === "" ? options.has("f", "F", "input") : method !== "GET";
  if (changes && serverPaths.test(path)) effects.refuse("refs", "the request changes the repository on the server");
  else if (changes && /graphql/.test(path) && isMutation) effects.opaque("the request changes something on the server");
};

/** A clone is a folder of the repository's name; behind `--` are git's own options. */
const beforeDashes = (words: readonly Text[]): readonly Text[] => {
  const dashes = words.findIndex((word) => known(word) === "--");
  return dashes < 0 ? words : words.slice(0, dashes);
};
const clone: Deed = {
  values: "u,upstream-remote-name",
  spelled: beforeDashes,
  also: ({ operands: [repository, folder] }, effects) => {
    if (repository !== undefined) writeTrees([folder ?? repositoryName(repository)], effects);
  },
};

/** Titles, bodies and comments are data, so most of `gh` only talks to the server. */
export const gh: Row = {
  names: "gh",
  values: "R,repo",
  opaque: "nothing is known of this command",
  mentions: "all",
  commands: {
    copilot: agent("copilot"),
    "agent-task": agent("agent-task"),
    api: { values: "X,method f,raw-field F,field H,header q,jq t,template input p,preview hostname cache", flags: "i,include", also: requests },
    pr: {
      commands: {
        checkout: { fixed: ".", tree: true },
        merge: refs("the pull request is merged on the server"),
        close: { cases: [{ when: "d,delete-branch", ...refs("a branch is deleted") }] },
        "update-branch": refs("a branch is moved on the server"),
      },
    },
    issue: { commands: { develop: { values: "b,base n,name branch-repo", fixed: ".", tree: true, when: "c,checkout" } } },
    repo: {
      commands: {
        create: {
          cases: [
            { when: "push", ...refs("a push moves refs of another repository") },
            { when: "c,clone", opaque: "it clones the new repository" },
          ],
        },
        clone,
        fork: { opaque: "it may clone the fork" },
        sync: refs("a branch is moved"),
        delete: refs("a repository is deleted"),
        rename: refs("a repository is renamed"),
        edit: refs("a repository's settings are changed"),
        archive: refs("a repository is archived"),
      },
    },
    run: { commands: { download } },
    release: { commands: { download, delete: refs("a release is deleted") } },
    gist: { commands: { clone, edit: { opaque: "it opens an editor" } } },
    auth: {
      commands: {
        "setup-git": { refuses: { kind: "loader", why: "git's credential settings are changed" } },
        "login logout": { opaque: "it changes credentials" },
      },
    },
    "codespace cs": { commands: { ssh: elsewhere, cp: elsewhere } },
    alias: changes("alias"),
    config: changes("config"),
    "extension extensions ext": changes("extension"),
    "workflow search status label milestone project cache secret variable browse ruleset org ssh-key gpg-key help version completion attestation": {},
  },
  alone: {},
  match: [
    "gh repo clone x/y -> y",
    "gh repo clone x/y d -> d",
    "gh pr checkout 1 -> .",
    "gh pr merge 1",
    "gh api -X POST repos/x/git/refs",
    "gh run download -D d -> d",
  ],
  no_match: ["gh", "gh pr list", "gh api repos/x", "gh alias list", "gh issue create -t x -b y"],
};
