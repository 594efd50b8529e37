import { known, type Text } from "../../text.ts";
import type { Hook, Row } from "../row/row.ts";
import { mention } from "../row/words.ts";

const builds = { opaque: "it builds or installs packages", mentions: "all" } as const;
const system = { opaque: "packages of the system are installed", mentions: "all" } as const;
const tools = { opaque: "packages are installed or built", mentions: "all" } as const;
const runs = { runs: "operands" } as const;
const runsSystem = { ...system, values: "using arch switch" } as const;
const settings = { refuses: { kind: "loader", why: "the command changes the package manager's settings: leave that to a person" } } as const;
const readingCommands =
  "list show search info policy depends rdepends files log outdated deps uses desc leaves doctor config home cat shellenv query provides repolist history which";
const environment = { values: "project package extra group python p env-file with n,name prefix e,env", in: "C,directory" } as const;

const cargoBuild = {
  opaque: "it builds and runs the project",
  values: "p,package target features F j,jobs profile bin example test bench manifest-path message-format color Z",
  folders: "target-dir out-dir artifact-dir",
} as const;
const goBuild = {
  opaque: "it builds and runs the project",
  values: "p gcflags ldflags tags mod modfile overlay pkgdir run bench count timeout cpu coverpkg parallel covermode asmflags buildmode compiler installsuffix",
  files: "o coverprofile cpuprofile memprofile blockprofile mutexprofile trace",
  folders: "outputdir",
  shell: "toolexec exec",
} as const;
const goRewrites = { writes: "operands", tree: true, otherwise: "." } as const;

/** `cargo +nightly fmt -- --check`: a toolchain may come first. Options that `fmt` passes on count as its own. */
function withoutToolchain(words: readonly Text[]): readonly Text[] {
  const own = /^\+/.test(known(words[0] ?? []) ?? "") ? words.slice(1) : words;
  return own.some((word) => known(word) === "fmt") ? own.filter((word) => known(word) !== "--") : own;
}

/** `nix develop -c command`, `nix run PACKAGE -- args`. */
const runsInEnvironment: Hook = (_, effects, { args }) => {
  const at = args.findIndex((word) => /^(?:-c|--command)$/.test(known(word) ?? ""));
  if (at >= 0 && at + 1 < args.length) effects.run(args.slice(at + 1));
  else mention(args, effects);
};

const cargo: Row = {
  names: "cargo cross",
  ...builds,
  spelled: withoutToolchain,
  values: "C Z color",
  code: "config",
  commands: {
    fmt: { cases: [{ when: "check" }, { fixed: ".", tree: true }], values: "p,package manifest-path message-format" },
    fix: { values: "p,package manifest-path", fixed: ".", tree: true, opaque: "it rewrites files" },
    "new init": { values: "vcs edition name registry", writes: "operands", tree: true, otherwise: "." },
    clippy: { fixed: ".", tree: true, when: "fix", opaque: "it builds the project" },
    "build b test t bench doc d rustc rustdoc nextest miri llvm-cov tarpaulin check c": cargoBuild,
    "run r": { ...cargoBuild, mentions: "operands" },
    "search tree metadata locate-project pkgid read-manifest verify-project version help info fetch audit deny": {},
  },
  match: ["cargo fmt -> .", "cargo +nightly fix -> .", "cargo new a -> a", "cargo build --target-dir a -> a"],
  no_match: ["cargo tree", "cargo fmt --check", "cargo +nightly fmt -- --check"],
};

export const packages: readonly Row[] = [
  cargo,
  { names: "nix", opaque: "it builds an environment", also: runsInEnvironment, match: ["nix develop -c touch a -> a", "nix build"] },
  {
    names: "go",
    ...builds,
    style: "long",
    in: "C",
    commands: {
      "fmt fix": goRewrites,
      mod: {
        opaque: "it may rewrite the module's files",
        commands: { "graph why verify download": {}, vendor: { fixed: "vendor", tree: true, opaque: "it fetches modules" } },
      },
      env: { cases: [{ when: "w u", refuses: { kind: "loader", why: "`go env` changes Go's settings: set the variable for one command instead" } }] },
      vet: { opaque: "it builds the project", mentions: "outputs" },
      run: { ...goBuild, mentions: "operands", skip: 1 },
      "build test install": goBuild,
      "list version doc help": {},
    },
    match: [
      "go build -o a ./... -> a",
      "go -C sub build -o a -> sub/a",
      "go fmt ./x/... -> x",
      "go mod vendor -> vendor",
      "go env -w X=1",
      "go test -exec 'touch a' -> a",
    ],
    no_match: ["go list ./...", "go env", "go mod graph", "go version"],
  },
  {
    names: "bundle bundler composer",
    ...builds,
    values: "gemfile d,working-dir",
    commands: { exec: { ...runs } },
    match: ["bundle exec touch a -> a", "bundle install"],
  },
  {
    names: "apt apt-get apt-cache aptitude brew dnf yum zypper pacman apk port snap flatpak choco winget scoop nix-env guix emerge",
    ...system,
    commands: { [readingCommands]: {} },
    match: ["apt install x", "brew upgrade"],
    no_match: ["apt list --installed", "brew info x"],
  },
  { names: "gem cpan cpanm luarocks pod carthage swiftpm rustup sdkmanager cabal-install conan vcpkg spack", ...builds, match: ["gem install x"] },
  {
    names: "nix-shell",
    opaque: "it builds an environment",
    values: "p,packages I A,attr arg argstr",
    shell: "run command",
    match: ["nix-shell -p x --run 'touch a' -> a"],
  },
  {
    names: "direnv",
    commands: {
      exec: { ...runs, skip: 1 },
      "allow permit grant edit": { refuses: { kind: "loader", why: "`direnv` loads the folder's settings in every later shell: leave that to a person" } },
    },
    match: ["direnv exec . touch a -> a", "direnv allow"],
    no_match: ["direnv status"],
  },
  {
    names: "mise rtx",
    opaque: "tools are installed or tasks run",
    mentions: "all",
    values: "j,jobs",
    in: "C,cd",
    commands: { "exec x": { runs: "after-dashes", shell: "c,command" }, "ls list current where which version help": {} },
    match: ["mise exec node@20 -- touch a -> a", "mise x -- touch a -> a", "mise exec -c 'touch a' -> a", "mise install"],
    no_match: ["mise ls"],
  },
  {
    names: "asdf rbenv pyenv nodenv jenv volta opam n sdk",
    ...runsSystem,
    commands: { "exec run": runs, which: {}, [readingCommands]: {} },
    match: ["asdf exec touch a -> a", "volta run touch a -> a", "rbenv install x"],
    no_match: ["asdf list", "pyenv which x"],
  },
  {
    names: "nvm fnm",
    ...runsSystem,
    commands: {
      exec: {
        ...runsSystem,
        cases: [
          { when: "using", ...runs },
          { runs: "operands", skip: 1 },
        ],
      },
      run: { runs: "operands", skip: 1, as: "node" },
      "which current ls list ls-remote version version-remote": {},
    },
    match: ["nvm exec 20 touch a -> a", "nvm exec --silent 20 touch a -> a", "fnm exec --using=20 touch a -> a", "nvm run 20 x.js", "nvm install 20"],
    no_match: ["nvm ls"],
  },
  {
    names: "pip pip2 pip3",
    values: "r,requirement c,constraint e,editable i,index-url extra-index-url f,find-links proxy python platform no-binary only-binary timeout retries",
    files: "log,log-file,local-log report",
    folders: "t,target prefix root d,dest w,wheel-dir src cache-dir",
    opaque: "packages are installed",
    mentions: "operands",
    commands: {
      "install uninstall wheel": { opaque: "packages are installed", mentions: "operands" },
      "list show freeze check search index inspect debug help cache hash": {},
      config: { ...settings, commands: { "list get debug": {} } },
      download: { cases: [{ when: "d" }, { fixed: ".", tree: true }] },
    },
    match: [
      "pip install --target a x -> a",
      "pip list --log l -> l",
      "pip config set a b",
      "pip download x -> .",
      "pip download -d a x -> a",
      "pip install --cache-dir c x -> c",
    ],
    no_match: ["pip list", "pip config list", "pip config get x", "pip config debug"],
  },
  {
    names: "uv",
    ...tools,
    values: "project",
    folders: "cache-dir",
    in: "directory",
    commands: {
      pip: { runs: "operands", as: "pip", wrapper: true },
      venv: { values: "p,python prompt", writes: "operands", tree: true, otherwise: ".venv" },
      tool: { ...tools, commands: { run: { values: "from with python index-url", runs: "package" }, "list dir": {} } },
      run: { runs: "operands", values: "with with-requirements with-editable m,module p,python extra group env-file package index" },
      python: { commands: { pin: { fixed: ".python-version" }, "install uninstall": tools, "list find dir": {} } },
      version: {
        values: "package output-format",
        cases: [{ when: "dry-run" }, { when: "bump", fixed: "pyproject.toml uv.lock" }, { needs: 1, fixed: "pyproject.toml uv.lock" }],
      },
      "tree help cache": {},
    },
    match: [
      "uv run touch a -> a",
      "uv tool run ruff check --fix a -> a",
      "uv venv -> .venv",
      "uv pip install --target a x -> a",
      "uv python pin 3.12 -> .python-version",
      "uv version --bump minor -> pyproject.toml uv.lock",
      "uv version 1.2.3 -> pyproject.toml uv.lock",
      "uv sync",
    ],
    no_match: ["uv tree", "uv python list", "uv version", "uv version --bump minor --dry-run"],
  },
  {
    names: "pipx",
    ...tools,
    commands: { run: { values: "spec python index-url pip-args", runs: "package" }, "list environment": {} },
    match: ["pipx run black a -> a", "pipx install x"],
    no_match: ["pipx list"],
  },
  { names: "virtualenv", values: "p,python prompt", writes: "operands", tree: true, match: ["virtualenv -p x a -> a"] },
  {
    names: "poetry pdm pipenv rye hatch pixi",
    ...tools,
    ...environment,
    commands: { "run exec": runs },
    match: ["poetry run touch a -> a", "poetry -C sub run touch a -> sub/a", "pdm install"],
  },
  {
    names: "conda mamba micromamba",
    ...tools,
    commands: { run: { ...runs, values: "n,name p,prefix cwd" }, "list info search": {}, "env config": { ...tools, commands: { list: {} } } },
    match: ["conda run -n x touch a -> a", "conda install x", "conda env create"],
    no_match: ["conda list", "conda env list"],
  },
  { names: "twine flit easy_install pip-sync", ...tools, match: ["twine upload x"] },
  { names: "pip-compile", values: "r,resolver i,index-url", files: "o,output-file", opaque: "it writes requirements", match: ["pip-compile -o a b -> a"] },
];
