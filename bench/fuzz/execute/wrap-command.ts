import { somePath } from "./make-command.ts";
import type { RandomChoice } from "./random-choice.ts";

type Wrap = (command: string, choice: RandomChoice) => string;

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const inFront: readonly string[] = [
  ...[
    "env",
    "env -i",
    "env X=1",
    "env -C src/a",
    "env --chdir=src/a",
    "env -u HOME",
    "timeout 2",
    "nice -n 5",
  ],
  ...[
    "nohup",
    "setsid",
    "stdbuf -o0",
    "command",
    "time",
    "!",
    "exec",
    "timeout -k 1 2",
    "nice",
    "builtin",
    "env -S",
  ],
  ...[
    "true &&",
    "false ||",
    "false &&",
    "X=src/b/x.ts",
    "TMPDIR=src/b",
    "cd src/a &&",
    "cd src/a;",
    "cd src/a/link-b &&",
  ],
  ...[
    "cd -P src/a/link-b/.. &&",
    "pushd src/a;",
    "cd docs/into;",
    "set -e;",
    "IFS=/;",
    "shopt -s dotglob;",
    "set -f;",
  ],
  ...[
    "cd src/nowhere ||",
    "CDPATH=src cd a &&",
    "mkdir -p src/a/m && cd src/a/m &&",
    "set --",
    "unset HOME;",
    "HOME=$PWD/src;",
  ],
  ...[
    "shopt -s globstar;",
    "set -C;",
    "umask 0;",
    "cd /tmp;",
    "cd;",
    "cd src/a && cd - &&",
    "shopt -s nullglob;",
    "ionice -c3",
  ],
];

const wraps: readonly Wrap[] = [
  (command, choice) => `${choice.of(inFront)} ${command}`,
  (command, choice) => `${choice.of(inFront)} ${command}`,
  (command, choice) => `${choice.of(inFront)} ${command}`,
  (command) => `sh -c ${quoted(command)}`,
  (command) => `bash -c ${quoted(command)}`,
  (command) => `eval ${quoted(command)}`,
  (command) => `(${command})`,
  (command) => `{ ${command}; }`,
  (command) => `${command} & wait`,
  (command) => `echo $(${command})`,
  (command) => `bash <<< ${quoted(command)}`,
  (command) => `trap ${quoted(command)} EXIT`,
  (command) => `f() { ${command}; }; f src/a/x.ts src/a/ok.ts`,
  (command) => `if ${command}; then touch src/a/yes; else touch src/a/no; fi`,
  (command) => `cat <<'END' | sh\n${command}\nEND`,
  (command) => `echo ${quoted(command)} | bash`,
  (command, choice) =>
    `${command} ${choice.of([">", ">>", "2>", "&>", ">|", "<>", "<", "3>", "1<>", "2>>"])} ${somePath(choice)}`,
  (command, choice) => `${command} 3> ${somePath(choice)} >&3`,
  (command, choice) => `exec 3<> ${somePath(choice)}; ${command} >&3`,
  (command, choice) => `exec {fd}> ${somePath(choice)}; ${command} >&$fd`,
  (command, choice) => `${command} | tee ${somePath(choice)}`,
  (command, choice) => `${command} < ${somePath(choice)}`,
  (command) => `${command} | cat`,
  (command, choice) => `printf '%s\\n' ${somePath(choice)} | xargs ${command}`,
  (command, choice) => `echo ${somePath(choice)} | xargs -I{} ${command} {}`,
  (command, choice) => `find ${somePath(choice)} -type f -exec ${command} {} \\;`,
  (command, choice) => `for f in ${somePath(choice)} ${somePath(choice)}; do ${command} "$f"; done`,
  (command, choice) => `while read -r f; do ${command} $f; done < ${somePath(choice)}`,
  (command, choice) => `X=${somePath(choice)}; ${command} $X`,
  (command, choice) => `X=${somePath(choice)}; ${command} "\${X%/*}"/z`,
  (command, choice) => `set -- ${somePath(choice)}; ${command} "$@"`,
  (command, choice) => `a=(${somePath(choice)}); ${command} "\${a[@]}"`,
  (command, choice) => `read -r X <<< ${somePath(choice)}; ${command} $X`,
  (command, choice) => `case ${somePath(choice)} in src/a*) ${command};; *) touch src/a/other;; esac`,
  (command, choice) => `${command} >(cat > ${somePath(choice)})`,
  (command, choice) => `${command} <(cat ${somePath(choice)})`,
  (command, choice) =>
    `${choice.of(["ln -s ../b src/a/q", "cp -a src/a /tmp/c", "mkdir -p src/a/n", "mv src/a/up src/a/u", "rm src/a/here", "cp -P src/a/link-b /tmp/l", "mv src/a/deep /tmp/m", "tar cf /tmp/t.tar src/b", "cp src/b/x.ts src/a/c"])}${choice.of(["; ", " && ", " || ", "\n"])}${command}`,
  (command, choice) => `${command}${choice.of(["; ", " && ", " || ", "\n", " | "])}touch ${somePath(choice)}`,
  (command, choice) => `${command}${choice.of(["; ", " && "])}cp ${somePath(choice)} ${somePath(choice)}`,
];

/** The command inside another one, or next to one. */
export function wrapCommand(command: string, choice: RandomChoice): string {
  return choice.of(wraps)(command, choice);
}
