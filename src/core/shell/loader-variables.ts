import { resolveDots } from "../paths/locate.ts";
import type { Machine } from "./machine.ts";
import { absolutePath } from "./resolve-path.ts";
import { concat, known, literal, type Text } from "./text.ts";
import type { World } from "./world.ts";

const always = new Set(
  [
    "BASH_ENV ENV PROMPT_COMMAND SHELLOPTS BASHOPTS CDPATH ZDOTDIR BASH_ALIASES BASH_CMDS",
    "LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH",
    "GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_EXEC_PATH GIT_NAMESPACE",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_TEMPLATE_DIR GIT_CEILING_DIRECTORIES GIT_ASKPASS",
    "GIT_SSH GIT_SSH_COMMAND GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF",
    "GIT_REPLACE_REF_BASE GIT_GRAFT_FILE GIT_SHALLOW_FILE GIT_ATTR_SOURCE GIT_ICASE_PATHSPECS",
    "TAR_OPTIONS TAPE ZIPOPT UNZIP UNZIPOPT CURL_HOME WGETRC XDG_CONFIG_HOME XDG_CONFIG_DIRS MAKEFILES",
    "DEPENDENCIES_OUTPUT SUNPRO_DEPENDENCIES GCC_EXEC_PREFIX COMPILER_PATH SIMPLE_BACKUP_SUFFIX",
    "LESSKEYIN LESSKEY_CONTENT FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS VIMINIT EXINIT",
    "PERL5OPT PERL5DB PYTHONSTARTUP PYTHONINSPECT JAVA_TOOL_OPTIONS _JAVA_OPTIONS",
  ].flatMap((names) => names.split(" ")),
);
const prefixes = ["GIT_CONFIG", "BASH_FUNC_"];
/** Variables that name a program to run. Values that run nothing are in everyday use and harmless. */
const runners =
  /(?:PAGER|EDITOR|ASKPASS)$|^(?:VISUAL|BROWSER|SHELL|RSYNC_RSH|RSYNC_CONNECT_PROG|LESSOPEN|LESSCLOSE|RIPGREP_CONFIG_PATH)$|^npm_config_(?:script_shell|node_options)$/i;
const harmless =
  /^(?:|:|true|false|none|cat|less(?: -[A-Za-z]+)?|more|vi|vim|nano|emacs|code --wait|ssh|chrome|chromium|firefox|webkit|safari|(?:\/usr(?:\/local)?)?\/bin\/(?:ba|da|z|fi)?sh)$/;
/** Options that a program reads from its environment. Values that do not match may make it run or write something. */
const optionVariables: ReadonlyMap<string, RegExp> = new Map([
  [
    "MAKEFLAGS",
    /^(?:(?:-?[jklrsBRSw]+(?: \d+|\d*)|--(?:no-print-directory|silent|keep-going|jobs=\d+))(?: |$))*$/,
  ],
  ["XZ_OPT", /^[\s\dTevkq-]*$/],
  ["XZ_DEFAULTS", /^[\s\dTevkq-]*$/],
  ["PS4", /^[^$`]*$/],
  ["HISTFILE", /^(?:|\/dev\/null)$/],
  ["RUBYOPT", /^(?:\s*-[wW]\d?)*$/],
  ["HOME", /^(?:|\/tmp|\/root|\/(?:home|Users)\/[\w.-]+|\/nonexistent|\/dev\/null|\/var\/empty)\/?$/],
]);

/** Variables that name where programs write their additional output. */
export const outputVariables: ReadonlySet<string> = new Set(
  [
    "NODE_V8_COVERAGE NODE_COMPILE_CACHE NODE_REDIRECT_WARNINGS NODE_REPL_HISTORY PYTHONPYCACHEPREFIX",
    "COVERAGE_FILE CARGO_TARGET_DIR CARGO_INSTALL_ROOT GOBIN GOCOVERDIR GOCACHE PIP_LOG PIP_TARGET",
    "LLVM_PROFILE_FILE GCOV_PREFIX UV_CACHE_DIR",
  ].flatMap((names) => names.split(" ")),
);

export function isLoader(name: string): boolean {
  return always.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

/** Why setting a variable would change how later commands are found or loaded; undefined if it would not. */
export function whyLoader(m: Machine, name: string, value: Text, world: World): string | undefined {
  if (name.startsWith("LOCKSTEP_"))
    return `the command sets \`${name}\`, which identifies the caller to Lockstep: leave it unchanged`;
  if (isLoader(name))
    return `the command sets \`${name}\`, which changes how later commands are found or loaded: leave it unchanged`;
  if (runners.test(name) && !harmless.test(known(value) ?? "?"))
    return `the command sets \`${name}\`, which runs a program: set it to \`cat\`, \`true\` or a plain editor`;
  const allowed = optionVariables.get(name);
  if (allowed !== undefined && !isOldValue(value, name) && !allowed.test(known(value) ?? "?"))
    return `the command sets \`${name}\`, which changes what later commands do: pass the options to the command itself`;
  if (
    name === "NODE_OPTIONS" &&
    /--(?:require|import|loader|experimental-loader|snapshot-blob|openssl-config)\b|-r\b/.test(
      known(value) ?? "-r",
    )
  )
    return "the command sets `NODE_OPTIONS`, which loads code into every Node program: pass `--import` to the one program";
  if (name.startsWith("GIT_TRACE") && !/^(?:[0-9]|true|false)?$/.test(known(value) ?? "?"))
    return `the command sets \`${name}\`, which makes git write a file: set it to 1 to see the trace`;
  if (name === "PATH") return whyPath(m, value, world);
  return undefined;
}

/** Only entries before the old PATH can hide a program. */
function whyPath(m: Machine, value: Text, world: World): string | undefined {
  for (const entry of pathEntries(value)) {
    if (isOldValue(entry, "PATH")) return undefined;
    const path = absolutePath(withoutUnset(m, entry), world.cwd);
    if (path !== undefined && !isInside(resolveDots(path), m.context.root)) continue;
    return "the command puts a folder of the project, or an unknown folder, first in PATH: run the program by its full path, or put the folder after `$PATH`";
  }
  return undefined;
}

/** A variable that may be unset may be empty. Then the path is the text after it. */
function withoutUnset({ context }: Machine, entry: Text): Text {
  const [first] = entry;
  if (first?.kind !== "unknown" || first.source !== "environment") return entry;
  return context.environment?.has(first.name ?? "") === true
    ? literal("/")
    : entry.length === 1
      ? literal(".")
      : entry.slice(1);
}

/** Entries between colons; an empty entry is the working folder. */
function pathEntries(value: Text): readonly Text[] {
  const entries: Text[] = [[]];
  for (const piece of value) {
    const parts = piece.kind === "literal" ? piece.text.split(":") : [piece];
    parts.forEach((part, index) => {
      if (index > 0) entries.push([]);
      const last = entries.length - 1;
      entries[last] = concat(entries[last] ?? [], typeof part === "string" ? literal(part) : [part]);
    });
  }
  return entries.map((entry) => (entry.length === 0 ? literal(".") : entry));
}

function isOldValue(entry: Text, variable: string): boolean {
  const [first] = entry;
  return entry.length === 1 && first?.kind === "unknown" && first.name === variable;
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}
