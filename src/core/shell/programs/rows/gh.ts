import type { Deed } from "../row/row.ts";

const refs = (why: string): Deed => ({ refuses: { kind: "refs", why } });
const changes = (topic: string): Deed => ({
  refuses: { kind: "loader", why: `\`gh ${topic}\` changes what later commands do` },
  commands: { "list get search browse": {} },
  alone: {},
});
const agent = (topic: string): Deed => ({ refuses: { kind: "agent", why: `\`gh ${topic}\` is another agent` } });
const download: Deed = { values: "p,pattern n,name A,archive", files: "O,output", folders: "D,dir", cases: [{ when: "O D" }, { fixed: ".", tree: true }] };
const elsewhere = { opaque: "it runs on another machine" };

/** Titles, bodies and comments are data, so most of `gh` only talks to the server. */
export const gh: Deed = {
  values: "R,repo",
  opaque: "nothing is known of this command",
  mentions: "all",
  commands: {
    copilot: agent("copilot"),
    "agent-task": agent("agent-task"),
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
    gist: { commands: { edit: { opaque: "it opens an editor" } } },
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
};
