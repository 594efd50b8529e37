import { nearestName } from "../../core/names/nearest-name.ts";
import { deny } from "../../core/rules/verdict.ts";
import { writeAll } from "../output/descriptor.ts";
import { tellRefusal } from "../output/verdicts.ts";
import { type Shell, shells } from "./shells.ts";

/**
 * Each script calls `lockstep __complete` for the word at the cursor. The output is one line per candidate, with its
 * description after a tab; the line `:files` asks for file names, too.
 */
const scripts: Readonly<Record<Shell, string>> = {
  bash: `# lockstep completion for bash: source <(lockstep completion bash)
_lockstep() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ":files" ]; then
      compopt -o default 2>/dev/null
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <("$1" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _lockstep lockstep
`,
  zsh: `#compdef lockstep
# lockstep completion for zsh: source <(lockstep completion zsh), after compinit
_lockstep() {
  local line files=0
  local -a found
  for line in "\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == ":files" ]]; then
      files=1
    elif [[ $line == *$'\\t'* ]]; then
      found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    elif [[ -n $line ]]; then
      found+=("\${line//:/\\\\:}")
    fi
  done
  (( \${#found} )) && _describe -t values lockstep found
  (( files )) && _files
}
if [[ \${funcstack[1]} == _lockstep ]]; then
  _lockstep "$@"
else
  compdef _lockstep lockstep
fi
`,
  fish: `# lockstep completion for fish: lockstep completion fish > ~/.config/fish/completions/lockstep.fish
function __lockstep_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path "$current"
        else
            printf '%s\\n' $line
        end
    end
end
complete -c lockstep -f -a '(__lockstep_complete)'
`,
};

/** `lockstep completion SHELL`. */
export function completionCommand(name: string): number {
  const shell = shells.find((one) => one === name);
  if (shell !== undefined) {
    writeAll(1, scripts[shell]);
    return 0;
  }
  const nearest = nearestName(name, shells);
  const hint = nearest === undefined ? `name one of ${shells.join(", ")}` : `did you mean \`${nearest}\`?`;
  return tellRefusal(deny("R-IN-001", `there is no completion for \`${name}\`: ${hint}`), false);
}
