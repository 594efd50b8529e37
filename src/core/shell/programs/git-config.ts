import { optionReader } from "../read-options.ts";
import { known, knownStart, type Text, withoutStart } from "../text.ts";
import type { Effects, Program } from "../types.ts";

/** Settings that change how git looks or what it records, and never which program runs. */
const harmless =
  /^(?:user|author|committer|color|advice|column|log|status|versionsort|blame|i18n|pack|gc|index|rerere|stash|tag|branch|fetch|clone|checkout|transfer|protocol|safe|feature|help|apply|am|mailinfo|interactive|maintenance|whatsnew|commit|merge|diff|pull|push|rebase|init|format|grep|http|receive|submodule)\.[\w.*/@:-]+$|^core\.(?:quotepath|autocrlf|safecrlf|eol|abbrev|longpaths|ignorecase|commentchar|filemode|precomposeunicode|whitespace|compression|bigfilethreshold|preloadindex|untrackedcache|logallrefupdates|symlinks|checkstat|trustctime)$/;

/** Exceptions to the above: they name programs, files to include, or other places. */
const harmful =
  /\.(?:\w*(?:hook|command|cmd|program|helper|driver|editor|pager|filter)|autocorrect|textconv|path|tool|guitool|update|proxy|template|hookspath|templatedir|external|receivepack|uploadpack|sslcert|sslkey|sslbackend|fsmonitor|askpass|insteadof|pushinsteadof|vcs|mergeoptions|url|pushurl|to|clean|smudge|process|recursesubmodules|useconfigonly|directory|allow|outputdirectory|cookiefile|savecookies|signaturefile)$/;

/** What may be kept in the repository's own settings, which all worktrees share. */
const harmlessToKeep =
  /^(?:user\.(?:name|email)|color\.[\w.]+|advice\.\w+|init\.defaultbranch|pull\.(?:rebase|ff)|push\.default|commit\.gpgsign|core\.(?:quotepath|autocrlf|pager|editor))$/;

const nothings = /^(?:|true|false|:|cat|less|less -[A-Za-z]+|more)$/;

/** Why `key=value` may not be set; undefined where it is harmless. */
export function whyNotSetting(setting: Text): string | undefined {
  const start = knownStart(setting);
  const equals = start.indexOf("=");
  const isWhole = equals >= 0 || setting.length === 1;
  if (!isWhole) return "git takes a setting that is not known";
  const key = (equals < 0 ? start : start.slice(0, equals)).toLowerCase();
  const value = equals < 0 ? "true" : known(withoutStart(setting, equals + 1));
  return isHarmless(key, value) ? undefined : `git's \`${key}\` can change what runs`;
}

function isHarmless(key: string, value: string | undefined): boolean {
  if (key === "safe.directory") return true;
  if (key === "protocol.version") return true;
  if (/^(?:core\.(?:pager|editor)|sequence\.editor|pager\.[\w-]+)$/.test(key)) {
    return value !== undefined && nothings.test(value.trim());
  }
  return harmless.test(key) && !harmful.test(key);
}

const readConfig = optionReader({
  values: "f,file blob type default value comment url",
  flags:
    "global system local worktree get get-all get-regexp get-urlmatch l,list add replace-all unset unset-all rename-section remove-section e,edit get-color get-colorbool z,null name-only show-origin show-scope all regexp includes append fixed-value bool int path",
});

const readingOptions = ["get", "get-all", "get-regexp", "get-urlmatch", "l", "get-color", "get-colorbool"];
const writingVerbs = /^(?:set|unset|rename-section|remove-section|edit)$/;

export const gitConfig: Program = (call, effects) => {
  const options = readConfig(call.args);
  const verb = known(options.operands[0] ?? []) ?? "";
  const hasVerb = writingVerbs.test(verb) || verb === "get" || verb === "list";
  const operands = hasVerb ? options.operands.slice(1) : options.operands;
  const removes =
    options.has("unset", "unset-all", "rename-section", "remove-section") || /^(?:unset|re)/.test(verb);
  const edits = options.has("e") || verb === "edit";
  const sets = options.has("add", "replace-all") || verb === "set" || (!hasVerb && operands.length > 1);
  if (options.has(...readingOptions) || verb === "get" || verb === "list") return;
  if (!removes && !edits && !sets) return;
  tellSetting(
    { key: operands[0], value: removes ? undefined : operands[1], edits },
    options.value("f"),
    effects,
  );
  if (options.has("global", "system"))
    effects.refuse("loader", "git's settings of the user or system are changed");
};

interface Setting {
  readonly key: Text | undefined;
  readonly value: Text | undefined;
  readonly edits: boolean;
}

function tellSetting(setting: Setting, file: Text | undefined, effects: Effects): void {
  if (file !== undefined) {
    effects.write(file);
    return;
  }
  const key = known(setting.key ?? [])?.toLowerCase();
  const value = setting.value === undefined ? "" : known(setting.value);
  if (setting.edits || key === undefined || !harmlessToKeep.test(key) || !isHarmless(key, value)) {
    effects.refuse("loader", `git's setting \`${key ?? "(unknown)"}\` is changed`);
  }
}
