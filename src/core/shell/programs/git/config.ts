import { known, knownStart, type Text, withoutStart } from "../../text.ts";
import type { Effects } from "../../types.ts";
import { gitReading } from "./options.ts";

/** Settings that change git's appearance or what it records, but never which program runs. */
const harmless =
  /^(?:user|author|committer|color|advice|column|log|status|versionsort|blame|i18n|pack|gc|index|rerere|stash|tag|branch|fetch|clone|checkout|transfer|protocol|safe|feature|help|apply|am|mailinfo|interactive|maintenance|whatsnew|commit|merge|diff|pull|push|rebase|init|format|grep|http|receive|submodule)\.[\w.*/@:-]+$|^core\.(?:quotepath|autocrlf|safecrlf|eol|abbrev|longpaths|ignorecase|commentchar|filemode|precomposeunicode|whitespace|compression|bigfilethreshold|preloadindex|untrackedcache|logallrefupdates|symlinks|checkstat|trustctime)$/;

/** Exceptions: settings that name programs, files to include, or other places. */
const harmful =
  /\.(?:\w*(?:hook|command|cmd|program|helper|driver|editor|pager|filter)|autocorrect|textconv|path|tool|guitool|update|proxy|template|hookspath|templatedir|external|receivepack|uploadpack|sslcert|sslkey|sslbackend|fsmonitor|askpass|insteadof|pushinsteadof|vcs|mergeoptions|url|pushurl|to|clean|smudge|process|recursesubmodules|useconfigonly|directory|allow|outputdirectory|cookiefile|savecookies|signaturefile)$/;

/** Settings that may be stored in the repository's configuration, which all worktrees share. */
const harmlessToKeep =
  /^(?:user\.(?:name|email)|color\.[\w.]+|advice\.\w+|init\.defaultbranch|pull\.(?:rebase|ff)|push\.default|commit\.gpgsign|core\.(?:quotepath|autocrlf|pager|editor))$/;

const harmlessCommands = /^(?:|true|false|:|cat|less|less -[A-Za-z]+|more)$/;

/** Why `key=value` may not be set; undefined if it is harmless. */
export function whyNotSetting(setting: Text): string | undefined {
  const start = knownStart(setting);
  const equals = start.indexOf("=");
  const isWhole = equals >= 0 || setting.length === 1;
  if (!isWhole) return "git gets a setting that is not known before it runs: write it out";
  const key = (equals < 0 ? start : start.slice(0, equals)).toLowerCase();
  const value = equals < 0 ? "true" : known(withoutStart(setting, equals + 1));
  return isHarmless(key, value) ? undefined : `git's setting \`${key}\` can change what runs: leave it out`;
}

function isHarmless(key: string, value: string | undefined): boolean {
  if (key === "safe.directory") return true;
  if (key === "protocol.version") return true;
  if (/^(?:core\.(?:pager|editor)|sequence\.editor|pager\.[\w-]+)$/.test(key)) {
    return value !== undefined && harmlessCommands.test(value.trim());
  }
  return harmless.test(key) && !harmful.test(key);
}

const readingOptions = ["get", "get-all", "get-regexp", "get-urlmatch", "l", "get-color", "get-colorbool"];
const writingVerbs = /^(?:set|unset|rename-section|remove-section|edit)$/;

const spec = {
  values: "f,file value comment url",
  flags:
    "global system get get-all get-regexp get-urlmatch l,list add replace-all unset unset-all rename-section remove-section e,edit get-color get-colorbool append all",
};

export const gitConfig = gitReading("config", spec, (options, effects) => {
  const verb = known(options.operands[0] ?? []) ?? "";
  const hasVerb = writingVerbs.test(verb) || verb === "get" || verb === "list";
  const operands = hasVerb ? options.operands.slice(1) : options.operands;
  const removes =
    options.has("unset", "unset-all", "rename-section", "remove-section") || /^(?:unset|re)/.test(verb);
  const edits = options.has("e") || verb === "edit";
  const sets = options.has("add", "replace-all") || verb === "set" || (!hasVerb && operands.length > 1);
  if (options.has(...readingOptions) || verb === "get" || verb === "list") return;
  if (!removes && !edits && !sets) return;
  if (edits) reportEdit(options.value("f"), effects);
  else reportSetting(operands[0], removes ? [] : operands[1], { file: options.value("f"), effects });
  if (options.has("global", "system"))
    effects.refuse(
      "loader",
      "the command changes git's settings of the user or the system, which apply to every repository: leave that to a person",
    );
});

function reportEdit(file: Text | undefined, effects: Effects): void {
  if (file !== undefined) effects.write(file);
  else
    effects.refuse(
      "loader",
      "git opens all its settings in an editor: set the one you need with `git config NAME VALUE`",
    );
}

function reportSetting(
  name: Text | undefined,
  value: Text | undefined,
  { file, effects }: { readonly file: Text | undefined; readonly effects: Effects },
): void {
  if (file !== undefined) {
    effects.write(file);
    return;
  }
  const key = known(name ?? [])?.toLowerCase();
  if (key !== undefined && harmlessToKeep.test(key) && isHarmless(key, known(value ?? []))) return;
  const setting =
    key === undefined || key === "" ? "a setting that is not known before it runs" : `\`${key}\``;
  effects.refuse(
    "loader",
    `\`git config\` changes ${setting}, which all checkouts share and which may run programs: pass it to one command with \`git -c\`, or leave it to a person`,
  );
}
