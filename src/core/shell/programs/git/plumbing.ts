import { anyName, concat, known, literal, type Text, unknownText } from "../../text.ts";
import type { Program } from "../../types.ts";
import { programOf } from "../row/run-row.ts";
import { inFolder, named, readsOnly } from "../row/words.ts";
import { gitCommand, gitReading } from "./options.ts";

const formatPatch = gitReading(
  "format-patch",
  {
    values: "o,output-directory output v,reroll-count description-file O",
    glued: "stat U,unified M,find-renames C",
    flags: "stdout",
  },
  (options, effects) => {
    for (const file of options.all("output")) effects.write(file);
    if (options.has("stdout", "output")) return;
    effects.write(inFolder(options.value("o") ?? [], anyName));
  },
);

const mergeFile = gitCommand("merge-file", {
  values: "L diff-algorithm",
  writes: "first",
  unless: "p,stdout",
});

const difftool = gitCommand("difftool", {
  values: "t,tool",
  shell: "x,extcmd",
  files: "output",
  action: "write",
  opaque: "it opens another program",
});

const grep = gitReading(
  "grep",
  {
    values: "e f A,after-context B,before-context C,context m,max-count",
    glued: "O,open-files-in-pager",
  },
  (options, effects) => {
    const pager = options.value("O");
    if (pager !== undefined) effects.shell(pager);
    else if (options.has("O")) effects.opaque("it opens a pager");
  },
);

const interpretTrailers = programOf({
  writes: "operands",
  when: "in-place",
});

/** `mailinfo MESSAGE PATCH` writes both. */
const mailinfo = programOf({ writes: "operands" });

const packObjects = gitReading("pack-objects", { flags: "stdout" }, (options, effects) => {
  const base = options.operands[0];
  if (!options.has("stdout") && base !== undefined) effects.write(concat(base, literal("-"), anyName));
});

/** The index is written next to the pack, unless `-o` names another file. */
const indexPack = programOf({
  values: "threads object-format",
  glued: "keep promisor strict max-input-size",
  flags: "stdin fix-thin v",
  files: "o",
  also: (options, effects) => {
    if (!options.has("o")) for (const pack of options.operands) effects.write(inFolderOf(pack));
  },
});

function inFolderOf(path: Text): Text {
  const text = known(path);
  return text === undefined
    ? unknownText
    : concat(literal(text.slice(0, text.lastIndexOf("/") + 1)), anyName);
}

const reports = (["bugreport", "diagnose"] as const).map((name): [string, Program] => [
  name,
  gitCommand(name, {
    values: "s,suffix",
    folders: "o,output-directory",
    cases: [{ when: "o" }, { fixed: ".", tree: true }],
  }),
]);

export const gitPlumbing = new Map<string, Program>([
  ["format-patch", formatPatch],
  ["merge-file", mergeFile],
  ["difftool", difftool],
  ["grep", grep],
  ["interpret-trailers", interpretTrailers],
  ["hook", programOf({ commands: { run: { opaque: "a hook runs" } } })],
  ["mailinfo", mailinfo],
  ["mailsplit", programOf({ values: "d f", folders: "o" })],
  ["pack-objects", packObjects],
  ["index-pack", indexPack],
  ["unpack-file", (_, effects) => effects.write(unknownText)],
  ["fast-export", programOf({ files: "export-marks output" })],
  ...reports,
  ...named(
    "write-tree commit-tree hash-object mktree mktag unpack-objects pack-refs repack commit-graph multi-pack-index rerere update-server-info",
    readsOnly,
  ),
  ...named(
    "svn p4 cvsimport cvsexportcommit send-email imap-send instaweb daemon gui citool credential credential-store credential-cache merge-index merge-one-file merge-recursive merge-ours merge-octopus merge-subtree for-each-repo flow annex gitk shell sh-setup scalar",
    programOf({ opaque: "its effects are not known before it runs", mentions: "all" }),
  ),
]);
