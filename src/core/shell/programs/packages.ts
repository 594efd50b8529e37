import { known, knownStart, literal, type Text } from "../text.ts";
import type { Program } from "../types.ts";
import {
  bySubcommand,
  describe,
  mention,
  named,
  opaqueProgram,
  opaqueReader,
  reading,
  readsOnly,
  writeFiles,
  writeTrees,
} from "./describe.ts";
import { runsAfter } from "./package-runners.ts";
import { runsCode } from "./wrapping.ts";

const builds = opaqueProgram("it builds or installs packages");

const cargoFmt = reading(
  { values: "p,package manifest-path message-format", flags: "check all" },
  (options, effects) => {
    const words = options.operands.map((word) => known(word));
    if (options.has("check") || words.includes("--check")) return;
    writeTrees([literal(".")], effects);
  },
);

const cargoNew = describe({
  values: "vcs edition name registry",
  writes: "operands",
  tree: true,
  otherwise: ".",
});

const cargo: Program = (call, effects) => {
  const args = /^\+/.test(known(call.args[0] ?? []) ?? "") ? call.args.slice(1) : call.args;
  args.forEach((word, index) => {
    if (known(args[index - 1] ?? []) === "--config" || knownStart(word).startsWith("--config="))
      effects.code(word);
  });
  cargoRun({ ...call, args }, effects);
};
const cargoBuild = reading(
  {
    values:
      "p,package target features F j,jobs profile bin example test bench manifest-path message-format color Z config target-dir out-dir artifact-dir",
  },
  (options, effects, call) => {
    effects.opaque("it builds and runs the project");
    writeTrees(options.all("target-dir", "out-dir", "artifact-dir"), effects);
    if (call.name === "run" || call.name === "r") for (const word of options.operands) effects.operand(word);
  },
);
const cargoFix = describe({
  values: "p,package manifest-path",
  writes: "operands",
  tree: true,
  otherwise: ".",
  opaque: "it rewrites files",
});

const cargoRun = bySubcommand(
  { values: "C Z config color" },
  new Map<string, Program>([
    ["fmt", cargoFmt],
    ["fix", cargoFix],
    ["new", cargoNew],
    ["init", cargoNew],
    [
      "clippy",
      (call, effects) => {
        if (call.args.some((word) => known(word) === "--fix")) writeTrees([literal(".")], effects);
        effects.opaque("it builds the project");
      },
    ],
    ...named(
      "build b test t run r bench doc d rustc rustdoc nextest miri llvm-cov tarpaulin check c",
      cargoBuild,
    ),
    ...named(
      "search tree metadata locate-project pkgid read-manifest verify-project version help info fetch audit deny",
      readsOnly,
    ),
  ]),
  builds,
);

const goFmt = describe({ flags: "n x", writes: "operands", tree: true, otherwise: "." });
const packages = (words: readonly Text[]) =>
  words.map((word) => {
    const text = known(word);
    return text === undefined ? word : literal(text.replace(/\/?\.\.\.$/, "") || ".");
  });

const goBuild = reading(
  {
    style: "long",
    values:
      "o C p gcflags ldflags tags mod modfile overlay pkgdir toolexec exec run bench count timeout cpu coverprofile coverpkg cpuprofile memprofile blockprofile mutexprofile outputdir trace parallel covermode asmflags buildmode compiler installsuffix",
  },
  (options, effects, call) => {
    writeFiles(
      options.all("o", "coverprofile", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace"),
      effects,
    );
    writeTrees(options.all("outputdir"), effects);
    for (const program of options.all("toolexec", "exec")) effects.shell(program);
    effects.opaque(call.name === "test" ? "tests run" : "it builds and runs the project");
    if (call.name === "run") for (const word of options.operands.slice(1)) effects.operand(word);
  },
);

const goMod: Program = (call, effects) => {
  if (/^(?:graph|why|verify|download)$/.test(known(call.args[0] ?? []) ?? "")) return;
  effects.opaque("the module's files are rewritten where they need it");
  if (known(call.args[0] ?? []) === "vendor") writeTrees([literal("vendor")], effects);
};

const goEnv: Program = (call, effects) => {
  if (call.args.some((word) => /^-[wu]$/.test(known(word) ?? "")))
    effects.refuse("loader", "Go's settings are changed");
};

const goCommands = bySubcommand(
  {},
  new Map<string, Program>([
    ["fmt", (call, effects) => goFmt({ ...call, args: packages(call.args) }, effects)],
    ["fix", (call, effects) => goFmt({ ...call, args: packages(call.args) }, effects)],
    ["mod", goMod],
    ["env", goEnv],
    ["vet", opaqueReader("it builds the project")],
    ...named("build run test install", goBuild),
    ...named("list version doc help", readsOnly),
  ]),
  builds,
);

/** `go -C DIR build`. */
const go: Program = (call, effects) => {
  const isFolder = known(call.args[0] ?? []) === "-C";
  const inner = isFolder ? effects.within(call.args[1] ?? []) : effects;
  goCommands({ ...call, args: isFolder ? call.args.slice(2) : call.args }, inner);
};

/** Package managers of systems: looking is free, anything else is opaque. */
const system: Program = (call, effects) => {
  const verb = call.args.map((word) => known(word) ?? "").find((word) => !word.startsWith("-")) ?? "";
  if (
    /^(?:|list|show|search|info|policy|depends|rdepends|files|log|outdated|deps|uses|desc|leaves|doctor|config|home|cat|--version|shellenv|query|provides|repolist|history|which)$/.test(
      verb,
    )
  )
    return;
  effects.opaque("packages of the system are installed");
  mention(call.args, effects);
};

export const packageManagers = new Map<string, Program>([
  ["cargo", cargo],
  ["cross", cargo],
  ["go", go],
  ["bundle", runsAfter(/^exec$/, { values: "gemfile", flags: "keep-file-descriptors" }, builds)],
  ["bundler", runsAfter(/^exec$/, {}, builds)],
  ["composer", runsAfter(/^exec$/, { values: "d,working-dir" }, builds)],
  ...named(
    "apt apt-get apt-cache aptitude brew dnf yum zypper pacman apk port snap flatpak choco winget scoop nix-env guix emerge",
    system,
  ),
  ...named(
    "gem cpan cpanm luarocks pod carthage swiftpm rustup sdkmanager cabal-install conan vcpkg spack",
    builds,
  ),
  [
    "nix-shell",
    runsCode({
      values: "p,packages I A,attr arg argstr",
      code: "run command",
      opaque: "it builds an environment",
    }),
  ],
  ["nix", (call, effects) => nix(call, effects)],
  ["direnv", (call, effects) => direnv(call, effects)],
  ...named(
    "mise rtx",
    runsAfter(
      /^(?:exec|x)$/,
      { values: "C,cd c,command j" },
      opaqueProgram("tools are installed or tasks run"),
    ),
  ),
  ...named(
    "asdf rbenv pyenv nodenv jenv fnm nvm volta opam n sdk",
    runsAfter(/^(?:exec|run|which)$/, { values: "using arch switch" }, system),
  ),
]);

/** `nix develop -c command`, `nix run PACKAGE -- args`. */
const nix: Program = (call, effects) => {
  const at = call.args.findIndex((word) => /^(?:-c|--command)$/.test(known(word) ?? ""));
  effects.opaque("it builds an environment");
  if (at >= 0 && at + 1 < call.args.length) return effects.run(call.args.slice(at + 1));
  mention(call.args, effects);
};

/** `direnv exec DIR command`; allowing a folder loads it from then on. */
const direnv: Program = (call, effects) => {
  const verb = known(call.args[0] ?? []) ?? "";
  if (verb === "exec") return effects.run(call.args.slice(2));
  if (/^(?:allow|permit|grant|edit)$/.test(verb))
    effects.refuse("loader", "a folder's settings are loaded from then on");
};
