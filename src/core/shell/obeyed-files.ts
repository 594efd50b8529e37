import { knownStart } from "./text.ts";
import type { Call } from "./types.ts";
import type { World } from "./world.ts";

/**
 * Programs that load configuration or start programs from the folder they are called in, even if they only read or
 * print their version: `rust-toolchain.toml`, `.yarnrc.yml`, `.mvn/jvm.config`, `.terraform`, `.venv`,
 * `prettier.config.js`, the plugins in `mypy.ini`, `node_modules/.bin`.
 */
const always = new Set(
  [
    "cargo cross rustc rustdoc rustfmt cargo-fmt cargo-clippy clippy-driver rust-analyzer rustup",
    "yarn yarnpkg pnpm uv poetry composer mvn mvnd gradle sbt dotnet pytest py.test tox ansible ldd",
    "prettier prettierd prettier-eslint dprint markdownlint markdownlint-cli2 knip cspell alex spectral redocly ajv",
    "depcheck madge dependency-cruiser depcruise size-limit attw mypy dmypy pylint flake8 pyright basedpyright",
    "sqlfluff ansible-lint checkov tflint",
    // These look for a program of any name in the project first.
    "npx pnpx bunx uvx pipx pipx-run dlx bundle bundler pipenv pdm rye hatch pixi",
  ].flatMap((names) => names.split(" ")),
);

/** Programs that do so except with these subcommands. */
const unless: ReadonlyMap<string, RegExp> = new Map(
  ["terraform", "tofu", "terragrunt"].map((name) => [name, /^(?:fmt|version|-?-?help|--?version)$/]),
);
/** Programs that do so only with these subcommands. */
const only: ReadonlyMap<string, RegExp> = new Map([
  ["npm", /^(?:docs|home|repo|bugs|issues|help|hlep|edit|explore|fund|exec|x)$/],
  ["bun", /^x$/],
  ["helm", /^plugin$/],
  ["openssl", /^engine$/],
]);

/** Options and variables that name a program, or a file that makes the program run others. */
const named: readonly { readonly names: string; readonly options: string; readonly variables?: string }[] = [
  { names: "ssh scp sftp", options: "F I S", variables: "SSH_SK_PROVIDER SSH_ASKPASS" },
  {
    names: "docker podman nerdctl finch",
    options: "config runtime hooks-dir conmon",
    variables: "DOCKER_CONFIG CONTAINERS_CONF",
  },
  {
    names: "kubectl oc k3s microk8s helm",
    options: "kubeconfig post-renderer registry-config repository-config",
    variables: "KUBECONFIG HELM_PLUGINS KUBERC",
  },
  {
    names: "npm npx",
    options: "userconfig globalconfig prefix script-shell shell node-options viewer browser editor git",
    variables: "npm_config_userconfig NPM_CONFIG_USERCONFIG",
  },
  { names: "pip pip2 pip3", options: "python", variables: "PIP_PYTHON PIP_CONFIG_FILE" },
  {
    names: "gpg gpg2",
    options: "homedir options agent-program keyboxd-program dirmngr-program",
    variables: "GNUPGHOME",
  },
  { names: "bat batcat", options: "config-file pager", variables: "BAT_CONFIG_PATH BAT_PAGER" },
  {
    names: "openssl",
    options: "config engine provider provider-path",
    variables: "OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES",
  },
  { names: "go", options: "toolexec vettool", variables: "GOFLAGS GOTOOLCHAIN" },
];
const byName = new Map(named.flatMap((row) => row.names.split(" ").map((name) => [name, row] as const)));

/**
 * Variables that do so for many programs. HOME has the settings of git and others. Node runs compiled code from
 * NODE_COMPILE_CACHE without comparing it with the source, and so does `lockstep` from XDG_STATE_HOME. The others name
 * modules of Python, which many programs are written in, and libraries that OpenSSL and the C library load.
 */
const namedForAll = [
  "HOME NODE_COMPILE_CACHE XDG_STATE_HOME PYTHONHOME PYTHONPATH PYTHONPYCACHEPREFIX PYTHONUSERBASE",
  "OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES GCONV_PATH",
].flatMap((names) => names.split(" "));

/** Why such a call is opaque. */
export const obeying = "it loads files that an agent may have written";

/** What makes a call load a file that an agent may have written: the program itself, an option or a variable. */
export function obeysFile(
  { name, args }: Pick<Call, "name" | "args">,
  { variables }: World,
): string | undefined {
  const forAll = namedForAll.find((one) => variables.has(one));
  if (forAll !== undefined) return `${name} with ${forAll}`;
  const words = args.map(knownStart);
  const [verb = ""] = words.filter((word) => !word.startsWith("-"));
  if (always.has(name) || only.get(name)?.test(verb) === true) return name;
  const harmless = unless.get(name);
  if (harmless !== undefined && words.length > 0 && !words.some((word) => harmless.test(word))) return name;
  const row = byName.get(name);
  if (row === undefined) return undefined;
  const options = row.options.split(" ");
  const option = words.find((word) => options.some((one) => isOption(word, one)));
  if (option !== undefined) return `${name} ${option.replace(/=.*/, "")}`;
  const variable = row.variables?.split(" ").find((one) => variables.has(one));
  return variable === undefined ? undefined : `${name} with ${variable}`;
}

/** Long options may be abbreviated, and openssl and go spell them with one dash. A letter may follow ssh's flags. */
function isOption(word: string, option: string): boolean {
  if (option.length === 1) return new RegExp(`^-[1246AaCfGgKkMNnqrpsTtVvXxYy]*${option}`).test(word);
  const [, spelled = ""] = /^--?([\w-]{3,})/.exec(word) ?? [];
  return spelled !== "" && option.startsWith(spelled);
}
