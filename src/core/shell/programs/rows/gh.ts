import { known, knownParts, literal, type Text } from "../../text.ts";
import { repositoryName } from "../git/remotes.ts";
import type { Deed, Hook, Row } from "../row/row.ts";
import { writeTrees } from "../row/words.ts";

const refs = (why: string): Deed => ({ refuses: { kind: "refs", why } });
const changes = (topic: string): Deed => ({
  refuses: { kind: "loader", why: `\`gh ${topic}\` changes what later commands do: leave that to a person` },
  commands: { "list get search browse": {} },
  alone: {},
});
const agent = (topic: string): Deed => ({ refuses: { kind: "agent", why: `\`gh ${topic}\` starts another agent: do the work yourself, or ask a person` } });
const download: Deed = { values: "p,pattern n,name A,archive", files: "O,output", folders: "D,dir", cases: [{ when: "O D" }, { fixed: ".", tree: true }] };
const elsewhere = { opaque: "it runs on another machine" };

const serverPaths = /(?:^|\/)(?:git\/refs|merges?|contents|branches|git\/(?:commits|tags|trees)|dispatches|hooks|keys)(?:\/|$|\?)/;

/** A request that changes refs on the server has the effect of a push. */
const requests: Hook = (options, effects) => {
  const method = (known(options.value("X") ?? literal("")) ?? "POST").toUpperCase();
  const path = knownParts(options.operands[0] ?? []);
  const isMutation = options.all("f", "F").some((field) => /\bmutation\b/.test(knownParts(field)));
  const changes = method === "" ? options.has("f", "F", "input") : method !== "GET";
  if (changes && serverPaths.test(path)) effects.refuse("refs", "`gh api` changes the repository on the server: leave that to a person");
  else if (changes && /graphql/.test(path) && isMutation) effects.opaque("the request changes something on the server");
};

/** A clone makes a folder with the repository's name. The words after `--` are git's own options. */
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

/** Titles, bodies and comments are data. Most of `gh` only talks to the server. */
export const gh: Row = {
  names: "gh",
  values: "R,repo",
  opaque: "nothing is known about this command",
  mentions: "all",
  commands: {
    copilot: agent("copilot"),
    "agent-task": agent("agent-task"),
    api: { values: "X,method f,raw-field F,field H,header q,jq t,template input p,preview hostname cache", flags: "i,include", also: requests },
    pr: {
      commands: {
        checkout: { fixed: ".", tree: true },
        merge: refs("`gh pr merge` merges the pull request on the server: leave that to a person"),
        close: { cases: [{ when: "d,delete-branch", ...refs("`gh pr close --delete-branch` deletes a branch: leave `--delete-branch` out") }] },
        "update-branch": refs("`gh pr update-branch` moves a branch on the server: leave that to a person"),
      },
    },
    issue: { commands: { develop: { values: "b,base n,name branch-repo", fixed: ".", tree: true, when: "c,checkout" } } },
    repo: {
      commands: {
        create: {
          cases: [
            { when: "push", ...refs("`gh repo create --push` moves refs of another repository: leave `--push` out") },
            { when: "c,clone", opaque: "it clones the new repository" },
          ],
        },
        clone,
        fork: { opaque: "it may clone the fork" },
        sync: refs("`gh repo sync` moves a branch: leave that to a person"),
        delete: refs("`gh repo delete` deletes a repository: leave that to a person"),
        rename: refs("`gh repo rename` renames a repository: leave that to a person"),
        edit: refs("`gh repo edit` changes the repository's settings: leave that to a person"),
        archive: refs("`gh repo archive` archives a repository: leave that to a person"),
      },
    },
    run: { commands: { download } },
    release: { commands: { download, delete: refs("`gh release delete` deletes a release: leave that to a person") } },
    gist: { commands: { clone, edit: { opaque: "it opens an editor" } } },
    auth: {
      commands: {
        "setup-git": { refuses: { kind: "loader", why: "`gh auth setup-git` changes git's credential settings: leave that to a person" } },
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
