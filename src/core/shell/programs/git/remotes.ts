import { anyName, known, knownStart, literal, type Text } from "../../text.ts";
import type { Effects, Program } from "../../types.ts";
import { baseName, inFolder, joined, mention, readsOnly, writeFiles, writeTrees } from "../row/words.ts";
import { whyNotSetting } from "./config.ts";
import { gitReading } from "./options.ts";
import { printing } from "./readers.ts";

const refusePush: Program = (_, effects) =>
  effects.refuse(
    "refs",
    "`git push` moves refs of another repository: commit here, and leave the push to a person",
  );

function refuseRunning(addresses: readonly Text[], program: Text | undefined, effects: Effects): void {
  if (addresses.some((address) => /^ext::/i.test(knownStart(address)))) {
    effects.refuse("loader", "an `ext::` address runs a command: use an https or ssh address");
  }
  if (program !== undefined)
    effects.refuse("loader", "`--upload-pack` and `--exec` run a program: leave them out");
}

const fetch = gitReading(
  "fetch",
  {
    values: "upload-pack j,jobs o,server-option refmap",
    flags: "u,update-head-ok stdin",
  },
  (options, effects) => {
    refuseRunning(options.operands, options.value("upload-pack"), effects);
    const moves = options.operands.slice(1).some((spec) => /^\+?[^:]*:./.test(knownStart(spec)));
    if (moves || options.has("u", "refmap", "stdin"))
      effects.refuse(
        "refs",
        "`git fetch` with these arguments moves local refs: name only the remote and the branch",
      );
  },
);

const lsRemote = gitReading("ls-remote", { values: "upload-pack exec o,server-option" }, (options, effects) =>
  refuseRunning(options.operands, options.value("upload-pack", "exec"), effects),
);

const clone = gitReading(
  "clone",
  {
    values:
      "b,branch o,origin u,upload-pack c,config j,jobs template separate-git-dir bundle-uri ref-format revision",
    glued: "recurse-submodules,recursive",
  },
  (options, effects) => {
    const [address, folder] = options.operands;
    if (address === undefined) return;
    refuseRunning([address], options.value("u"), effects);
    for (const setting of options.all("c")) {
      const why = whyNotSetting(setting);
      if (why !== undefined) effects.refuse("loader", why);
    }
    if (options.has("template"))
      effects.refuse(
        "loader",
        "`git clone --template` copies hooks into the repository: leave `--template` out",
      );
    writeTrees(options.all("separate-git-dir"), effects);
    writeTrees([folder ?? repositoryName(address)], effects);
  },
);

export function repositoryName(address: Text): Text {
  const name = known(baseName(address) ?? anyName);
  if (name === undefined) return anyName;
  const last = name.slice(name.lastIndexOf(":") + 1);
  return literal(last.endsWith(".git") ? last.slice(0, -4) : last);
}

const init = gitReading(
  "init",
  {
    values: "b,initial-branch separate-git-dir ref-format",
    glued: "shared template",
    flags: "bare",
  },
  (options, effects) => {
    if (options.has("template"))
      effects.refuse(
        "loader",
        "`git init --template` copies hooks into the repository: leave `--template` out",
      );
    writeTrees(options.all("separate-git-dir"), effects);
    const folder = options.operands[0] ?? [];
    const target = options.has("bare") && folder.length > 0 ? folder : inFolder(folder, literal(".git"));
    effects.write(target, "write", { tree: true });
  },
);

const remote: Program = (call, effects) => {
  const verb = call.args
    .map((word) => known(word))
    .find((word) => word === undefined || !word.startsWith("-"));
  if (call.args.length === 0 || /^(?:show|get-url|update|prune)$/.test(verb ?? "show")) return;
  effects.refuse(
    "refs",
    `\`git remote ${verb}\` changes the repository's addresses: pass the address to \`git fetch\``,
  );
};

const submodule: Program = (call, effects) => {
  const words = call.args.filter((word) => !/^(?:-q|--quiet)$/.test(known(word) ?? ""));
  const [verb, ...rest] = words;
  const name = known(verb ?? []) ?? "";
  if (/^(?:status|summary)?$/.test(name) || name.startsWith("--")) return;
  if (name === "foreach") {
    effects.opaque("the command runs in every submodule");
    const command = rest.filter((word) => known(word) !== "--recursive");
    return effects.shell(joined(command));
  }
  if (name === "update") return effects.opaque("submodules are checked out");
  effects.refuse(
    "refs",
    `\`git submodule ${name}\` changes the repository's settings: leave that to a person`,
  );
};

const lfs: Program = (call, effects) => {
  const verb = known(call.args[0] ?? []) ?? "";
  if (/^(?:|ls-files|status|env|version|locks|logs|fetch)$/.test(verb)) return;
  if (verb === "track" || verb === "untrack") return effects.write(literal(".gitattributes"));
  if (verb === "push" || verb === "migrate")
    return effects.refuse("refs", `\`git lfs ${verb}\` moves refs or pushes: leave that to a person`);
  if (verb === "install" || verb === "uninstall" || verb === "update") {
    return effects.refuse("loader", "`git lfs` installs hooks and filters: leave that to a person");
  }
  effects.opaque("git lfs rewrites files");
  mention(call.args.slice(1), effects);
};

const subtree: Program = (call, effects) => {
  if (call.args.some((word) => /^(?:push|split)$/.test(known(word) ?? "")))
    effects.refuse("refs", "`git subtree` moves refs: leave that to a person");
  effects.opaque("the files that it rewrites are not known before it runs");
};

const archive = gitReading(
  "archive",
  {
    values: "format o,output prefix remote exec add-file add-virtual-file mtime",
  },
  (options, effects) => {
    refuseRunning(options.all("remote"), options.value("exec"), effects);
    if (options.has("remote"))
      effects.opaque("the settings of that repository may name programs that git runs");
    for (const file of options.all("o")) effects.write(file);
  },
);

const bundle: Program = (call, effects) => {
  const [verb, ...rest] = call.args;
  if (known(verb ?? []) !== "create") return;
  printing(call, effects);
  writeFiles(rest.filter((word) => !/^-./.test(knownStart(word))).slice(0, 1), effects);
};

export const gitRemotes = new Map<string, Program>([
  ...["push", "send-pack", "http-push", "receive-pack"].map((name): [string, Program] => [name, refusePush]),
  ["fetch", fetch],
  ["fetch-pack", lsRemote],
  ["ls-remote", lsRemote],
  ["clone", clone],
  ["init", init],
  ["remote", remote],
  ["submodule", submodule],
  ["lfs", lfs],
  ["subtree", subtree],
  ["archive", archive],
  ["bundle", bundle],
  ["upload-pack", readsOnly],
  [
    "remote-ext",
    (_, effects) => effects.refuse("loader", "`git remote-ext` runs a command: use an https or ssh address"),
  ],
]);
