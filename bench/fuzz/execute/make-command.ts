import { gitOptions } from "../../../src/core/shell/programs/git/option-table.ts";
import { shellCommands } from "../../shell-commands.ts";
import { inLock, outside, relative, temporary, throughLinks } from "./paths.ts";
import { programOptions } from "./program-options.ts";
import type { RandomChoice } from "./random-choice.ts";
import { wrapCommand } from "./wrap-command.ts";

const lengthMax = 500;
/** These wait, or need something that is missing. */
const pointless =
  /\b(?:sleep|watch|yes|tail -[fF]|untracked-cache|npm|npx|yarn|pnpm|cargo|docker|kubectl|ssh|lockstep)\b/;
const corpus = shellCommands().filter((command) => command.length <= 250 && !pointless.test(command));
const programs = Object.keys(programOptions);
const subcommands = Object.keys(gitOptions) as (keyof typeof gitOptions)[];

/** One command: a changed one of the corpora, or a program with random options and paths; mostly wrapped. */
export function makeCommand(choice: RandomChoice): string {
  const made = choice.chance(0.45) ? mutate(choice.of(corpus), choice) : programCall(choice);
  const start = pointless.test(made) ? "true" : made;
  const rounds = choice.of([0, 0, 1, 1, 2]);
  let command = start;
  for (let round = 0; round < rounds; round += 1) command = wrapCommand(command, choice);
  return command.length > lengthMax ? start : command;
}

/** Mostly in the lock: otherwise nearly everything is refused for its paths, and nothing else is tested. */
export function somePath(choice: RandomChoice): string {
  const kind = choice.below(100);
  if (kind < 70) return choice.of(inLock);
  if (kind < 80) return choice.of(throughLinks);
  if (kind < 88) return choice.of(temporary);
  if (kind < 93) return choice.of(relative);
  return choice.of(outside);
}

const pathLike =
  /(?<![\w./-])(?:\/repo\/|\.\/)?(?:src\/[ab]\b[\w./*-]*|docs\b[\w./]*|README\.md|package\.json|\.git\/[\w/]+|\/etc\/\w+|~\/[\w.]+)/g;

function mutate(command: string, choice: RandomChoice): string {
  const moved = command.replace(pathLike, (path) => (choice.chance(0.6) ? somePath(choice) : path));
  const words = moved.split(" ").flatMap((word) => (choice.chance(0.12) ? changeWord(word, choice) : [word]));
  if (choice.chance(0.15)) words.splice(1 + choice.below(words.length), 0, extraWord(command, choice));
  return words.join(" ");
}

function changeWord(word: string, choice: RandomChoice): readonly string[] {
  if (/^--[a-z][\w-]+$/.test(word)) {
    const short = word.slice(0, 4 + choice.below(word.length - 3));
    return choice.of([[short], [`--no-${word.slice(2)}`], [word, "--"], [`${word}=${somePath(choice)}`], []]);
  }
  const [, name = "", value = ""] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
  if (name !== "") return [name, value];
  if (/^-[A-Za-z]{2,}$/.test(word))
    return choice.of([
      [...word.slice(1)].map((one) => `-${one}`),
      [word, "--"],
      [`-${[...word.slice(1)].reverse().join("")}`],
    ]);
  if (/^-[A-Za-z]$/.test(word))
    return choice.of([[], [word, word], [`${word}${choice.of([..."abfinoprstuvxC"])}`]]);
  return choice.of([[word, word], [`"${word}"`], [], ["--", word], [`${word}${somePath(choice)}`]]);
}

function extraWord(command: string, choice: RandomChoice): string {
  const program = programs.find((name) => new RegExp(`\\b${name}\\b`).test(command));
  return program === undefined || choice.chance(0.3) ? somePath(choice) : someOption(program, choice);
}

function programCall(choice: RandomChoice): string {
  if (choice.chance(0.2)) return gitCall(choice);
  const program = choice.of(programs);
  const options = choice.times(choice.below(4), () => someOption(program, choice));
  const operands = choice.times(1 + choice.below(3), () => operandOf(program, choice));
  const words = choice.chance(0.15) ? [...operands, ...options] : [...options, ...operands];
  const dashes = choice.chance(0.1) ? ["--"] : [];
  return [program, ...dashes, ...words].join(" ");
}

function gitCall(choice: RandomChoice): string {
  const name = choice.of(subcommands);
  const rows: string = gitOptions[name];
  const listed = rows.split(" ").filter((option) => option !== "");
  const option = () => {
    if (listed.length === 0) return somePath(choice);
    const [, text = "", value = ""] = /^(.*?)(=?)!?$/.exec(choice.of(listed)) ?? [];
    const spelled = choice.chance(0.1) ? `no-${text}` : text;
    const cut = choice.chance(0.15) ? spelled.slice(0, 3 + choice.below(spelled.length)) : spelled;
    return `--${cut}${value === "" ? "" : `${choice.of(["=", " "])}${someValue(choice)}`}`;
  };
  const before = choice.chance(0.15) ? [someOption("git", choice)] : [];
  const operands = choice.times(choice.below(3), () =>
    choice.chance(0.35)
      ? choice.of(["HEAD", "main", "other", "v1", "HEAD~1", "stash@{0}", "--"])
      : somePath(choice),
  );
  return ["git", ...before, name, ...choice.times(choice.below(3), option), ...operands].join(" ");
}

function someOption(program: string, choice: RandomChoice): string {
  const listed = (programOptions[program] ?? "").split(" ").filter((option) => option !== "");
  if (listed.length === 0) return somePath(choice);
  const option = choice.of(listed);
  if (!option.endsWith("=")) return shortened(option, choice);
  const name = option.slice(0, -1);
  const value = someValue(choice);
  if (name.startsWith("--")) return `${shortened(name, choice)}${choice.of(["=", " "])}${value}`;
  return `${name}${choice.of(["", " "])}${value}`;
}

function shortened(option: string, choice: RandomChoice): string {
  return option.startsWith("--") && option.length > 5 && choice.chance(0.15)
    ? option.slice(0, 4 + choice.below(option.length - 4))
    : option;
}

const plainValues = "1 2 0 x .bak ~ simple none t 644 u+x /x /^x/ + / . a,b s/x/y/ %s sh cat".split(" ");

function someValue(choice: RandomChoice): string {
  return choice.chance(0.55) ? somePath(choice) : choice.of(plainValues);
}

const scripts: Readonly<Record<string, readonly string[]>> = {
  sed: [
    "s/x/y/",
    "'s/x/y/w src/a/w'",
    "'w src/a/out'",
    "-e p",
    "'$d'",
    "1d",
    "'s/x/y/e'",
    "'r src/b/x.ts'",
    "y/x/y/",
  ],
  awk: [
    "'{print}'",
    `'{print > "src/a/o"}'`,
    `'{print $1 > $1}'`,
    `'BEGIN{system("ls")}'`,
    `'{print | "cat"}'`,
  ],
  find: [
    "-delete",
    "-exec rm {} +",
    "-exec touch {} \\;",
    "-name '*.ts'",
    "-fprint src/a/f",
    "-type l",
    "-exec cp {} src/a \\;",
  ],
  dd: [
    "if=src/b/x.ts",
    "of=src/a/x.ts",
    "of=src/a/lf",
    "conv=notrunc",
    "count=1",
    "of=docs/guide.md",
    "bs=1",
  ],
  chmod: ["644", "u+x", "a-w", "+x"],
  curl: ["file:///repo/src/b/x.ts", "file:///repo/README.md", "file:///repo/src/a/x.ts"],
  csplit: ["src/a/x.ts", "/y/", "2", "'{*}'"],
  xargs: [
    "touch",
    "rm",
    "cp -t src/a",
    "ls",
    "echo",
    "-a src/a/list.txt",
    "sh -c 'touch $0'",
    "< src/a/list.txt",
  ],
  sqlite3: [
    ".dump",
    "'.output src/a/o'",
    "'.backup src/a/o'",
    ":memory:",
    "'create table t(x)'",
    "'.read src/a/list.txt'",
  ],
  ed: ["<<< w", "<<< '1d\nw'", "<<< 'w src/a/out'", "<<< q"],
  flock: ["touch src/a/fresh.ts", "true", "-c 'touch src/a/x'"],
  script: ["-c true", "-qc 'touch src/a/x'"],
  strace: ["true", "touch src/a/fresh.ts"],
  patch: ["< src/a/fix.diff", "-i src/a/fix.diff", "< p.diff", "-p1", "src/a/x.ts src/a/fix.diff"],
  grep: ["x", "-r x"],
  jq: [".", "'.x'"],
  time: ["true", "touch src/a/x.ts"],
  nohup: ["true", "ls", "cat src/a/x.ts"],
  bash: ["-c 'touch src/a/x.ts'", "-c 'touch $0'", "-c ls"],
  test: ["x"],
};

function operandOf(program: string, choice: RandomChoice): string {
  const own = scripts[program];
  return own !== undefined && choice.chance(0.55) ? choice.of(own) : somePath(choice);
}
