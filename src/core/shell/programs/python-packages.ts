import { known, literal } from "../text.ts";
import type { Program } from "../types.ts";
import {
  describe,
  mention,
  named,
  opaqueProgram,
  reading,
  readsOnly,
  writeFiles,
  writeTrees,
} from "./describe.ts";
import { runsAfter, runsPackage } from "./package-runners.ts";

const pip = reading(
  {
    values:
      "r,requirement c,constraint e,editable t,target prefix root src i,index-url extra-index-url f,find-links d,dest w,wheel-dir log,log-file,local-log report cache-dir proxy python platform no-binary only-binary timeout retries",
    flags: "U,upgrade q,quiet v,verbose user pre dry-run y,yes no-deps",
  },
  (options, effects) => {
    const verb = known(options.operands[0] ?? []) ?? "";
    writeFiles(options.all("log", "report"), effects);
    writeTrees(options.all("t", "prefix", "root", "d", "w", "src"), effects);
    if (/^(?:|list|show|freeze|check|search|index|inspect|debug|help|cache|hash)$/.test(verb)) return;
    if (verb === "config") return effects.refuse("loader", "the package manager's settings are changed");
    if (verb === "download" && !options.has("d")) return writeTrees([literal(".")], effects);
    effects.opaque("packages are installed");
    mention(options.operands.slice(1), effects);
  },
);

const tool = opaqueProgram("packages are installed or built");
const environment = {
  folder: "C,directory",
  values: "project package extra group python p env-file with n,name prefix e,env",
} as const;

const uv: Program = (call, effects) => {
  const verb = known(call.args[0] ?? []) ?? "";
  const rest = { ...call, args: call.args.slice(1) };
  if (verb === "pip") return pip(rest, effects);
  if (verb === "venv") return venv(rest, effects);
  if (verb === "tool" && known(rest.args[0] ?? []) === "run")
    return runsPackage({ ...rest, args: rest.args.slice(1) }, effects);
  if (/^(?:tree|version|help|python|cache|--version|)$/.test(verb)) return;
  uvRun(call, effects);
};
const uvRun = runsAfter(
  /^run$/,
  {
    values:
      "with with-requirements with-editable m,module p,python project extra group env-file package index",
    flags: "isolated no-project frozen locked s,script",
    folder: "directory",
  },
  tool,
);

const venv = describe({
  values: "p,python prompt",
  flags: "seed clear",
  writes: "operands",
  tree: true,
  otherwise: ".venv",
});

const conda: Program = (call, effects) => {
  if (/^(?:list|info|search|env|config)$/.test(known(call.args[0] ?? []) ?? "") && call.args.length <= 2)
    return;
  condaRun(call, effects);
};
const condaRun = runsAfter(
  /^run$/,
  { values: "n,name p,prefix cwd", flags: "no-capture-output live-stream v" },
  tool,
);

export const pythonPackages = new Map<string, Program>([
  ...named("pip pip2 pip3", pip),
  ["uv", uv],
  [
    "pipx",
    (call, effects) => {
      if (known(call.args[0] ?? []) === "run") runsPackage({ ...call, args: call.args.slice(1) }, effects);
      else tool(call, effects);
    },
  ],
  ...named("virtualenv", describe({ values: "p,python prompt", writes: "operands", tree: true })),
  ...named("poetry pdm pipenv rye hatch pixi", runsAfter(/^(?:run|exec)$/, environment, tool)),
  ...named("conda mamba micromamba", conda),
  ...named("twine flit easy_install", tool),
  [
    "pip-compile",
    describe({ values: "r,resolver i,index-url", files: "o,output-file", opaque: "it writes requirements" }),
  ],
  ["pip-sync", tool],
  ["deactivate", readsOnly],
]);
