import { anyName, concat, known, literal, type Text, unknownText } from "../text.ts";
import type { Program } from "../types.ts";
import {
  describe,
  inFolder,
  named,
  opaqueProgram,
  reading,
  readsOnly,
  writeFiles,
  writeTrees,
} from "./describe.ts";

const formatPatch = reading(
  {
    values:
      "o,output-directory output start-number subject-prefix to cc from in-reply-to base range-diff interdiff suffix v,reroll-count signature signature-file filename-max-length description-file creation-factor encode-email-headers O",
    glued: "thread cover-from-description attach inline stat U,unified M,find-renames C n,numbered",
    flags: "stdout k,keep-subject s,signoff N,no-numbered cover-letter q,quiet root p",
  },
  (options, effects) => {
    writeFiles(options.all("output"), effects);
    if (options.has("stdout", "output")) return;
    effects.write(inFolder(options.value("o") ?? [], anyName));
  },
);

const mergeFile = reading(
  {
    values: "L diff-algorithm marker-size",
    flags: "p,stdout q,quiet ours theirs union diff3 zdiff3 object-id",
  },
  (options, effects) => {
    if (!options.has("p")) writeFiles(options.operands.slice(0, 1), effects);
  },
);

const difftool = reading(
  {
    values: "x,extcmd t,tool output",
    flags: "d,dir-diff g,gui y,no-prompt prompt symlinks no-symlinks trust-exit-code",
  },
  (options, effects) => {
    const command = options.value("x");
    if (command !== undefined) effects.shell(command);
    writeFiles(options.all("output"), effects);
    effects.opaque("it opens another program");
  },
);

const grep = reading(
  {
    values: "e f A,after-context B,before-context C,context m,max-count max-depth threads ",
    glued: "O,open-files-in-pager color column",
    flags: "i v w E G P F n l L c q o h H r a I t p W z untracked cached no-index all-match and or not",
  },
  (options, effects) => {
    const pager = options.value("O");
    if (pager !== undefined) effects.shell(pager);
    else if (options.has("O")) effects.opaque("it opens a pager");
  },
);

const interpretTrailers = describe({
  values: "where if-exists if-missing trailer",
  writes: "operands",
  when: "in-place",
});

const hook: Program = (call, effects) => {
  if (known(call.args[0] ?? []) === "run") effects.opaque("a hook runs");
};

/** `mailinfo MESSAGE PATCH` writes both. */
const mailinfo = describe({ flags: "k b u m n", values: "encoding quoted-cr", writes: "operands" });

const packObjects = reading({ values: "window depth filter", flags: "stdout all" }, (options, effects) => {
  const base = options.operands[0];
  if (!options.has("stdout") && base !== undefined) effects.write(concat(base, literal("-"), anyName));
});

/** The index lies beside the pack unless it is sent elsewhere. */
const indexPack = reading(
  {
    values: "o threads object-format",
    glued: "keep promisor strict max-input-size",
    flags: "stdin fix-thin v",
  },
  (options, effects) => {
    writeFiles(options.all("o"), effects);
    if (!options.has("o")) for (const pack of options.operands) effects.write(inFolderOf(pack));
  },
);

function inFolderOf(path: Text): Text {
  const text = known(path);
  return text === undefined
    ? unknownText
    : concat(literal(text.slice(0, text.lastIndexOf("/") + 1)), anyName);
}

const report = reading({ values: "o,output-directory s,suffix mode" }, (options, effects) =>
  writeTrees([options.value("o") ?? literal(".")], effects),
);

export const gitPlumbing = new Map<string, Program>([
  ["format-patch", formatPatch],
  ["merge-file", mergeFile],
  ["difftool", difftool],
  ["grep", grep],
  ["interpret-trailers", interpretTrailers],
  ["hook", hook],
  ["mailinfo", mailinfo],
  ["mailsplit", describe({ values: "d f", folders: "o" })],
  ["pack-objects", packObjects],
  ["index-pack", indexPack],
  ["unpack-file", (_, effects) => effects.write(unknownText)],
  [
    "fast-export",
    describe({ values: "import-marks signed-tags tag-of-filtered-object", files: "export-marks output" }),
  ],
  ...named("bugreport diagnose", report),
  ...named(
    "write-tree commit-tree hash-object mktree mktag unpack-objects pack-refs repack commit-graph multi-pack-index rerere update-server-info",
    readsOnly,
  ),
  ...named(
    "svn p4 cvsimport cvsexportcommit send-email imap-send instaweb daemon gui citool credential credential-store credential-cache merge-index merge-one-file merge-recursive merge-ours merge-octopus merge-subtree for-each-repo flow annex gitk shell sh-setup scalar",
    opaqueProgram("it does more than can be told before"),
  ),
]);
