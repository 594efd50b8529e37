import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lockstepProgram } from "../../src/cli/commands/lockstep-program.ts";
import { completionLines } from "../../src/cli/completion/complete-words.ts";
import { type Shell, shells } from "../../src/cli/completion/shells.ts";
import { type CommandRun, startProgram, temporaryRepository } from "../support/run-command.ts";
import { command, lockstepWords } from "../support/run-hook.ts";
import { skipLoudly } from "../support/skip-loudly.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const config = "agents:\n  coder: { adapter: claude }\n  critic: { adapter: codex, role: Reviewer }\n";
const repository = temporaryRepository({
  ".lockstep/config.yaml": config,
  "plans/prices.yaml": "tasks: []\n",
});
const bin = temporaryFolder({ lockstep: `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n` });
chmodSync(join(bin.path, "lockstep"), 0o755);
afterAll(() => {
  for (const folder of [repository, bin]) folder[Symbol.dispose]();
});

beforeAll(async () => {
  repository.git("commit", "-q", "--allow-empty", "-m", "base");
  for (const branch of ["feature/two-digits", "vat"]) repository.git("branch", branch);
  const added = ["task", "add", "T-1", "--scope", "src", "--check", "it works", "--title", "Round: prices"];
  await repository.run(added);
  await repository.run(["task", "add", "2026-11-15_prices/T-22", "--title", "b".repeat(99)]);
  const { stdout } = await repository.run(["dispatch"], { input: '{"task_id":"T-1"}' });
  const { epoch, token } = JSON.parse(stdout).details;
  const env = { LOCKSTEP_TASK: "T-1", LOCKSTEP_EPOCH: String(epoch), LOCKSTEP_TOKEN: token };
  await repository.run(["widen", "T-1", "lib", "--why", "x"], { env });
}, 60_000);

/** The output of `lockstep __complete` for the words up to the cursor. */
async function completed(...words: string[]): Promise<readonly string[]> {
  const { status, stdout, stderr } = await repository.run(["__complete", "--", ...words]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.split("\n").filter((line) => line !== "");
}

const valuesOf = (lines: readonly string[]) => lines.map((line) => line.split("\t")[0]);

describe("the completions", () => {
  const program = lockstepProgram();

  it.each<[readonly string[], readonly string[]]>([
    [["la"], ["land"]],
    [
      ["task", "re"],
      ["retry", "resolve"],
    ],
    [["run", "--all"], ["--allow-red"]],
    [["log", "--f"], ["--follow"]],
    [["help", "sco"], ["scopes"]],
    [
      ["help", "ex"],
      ["explain", "exec", "exit-codes"],
    ],
    [["completion", ""], shells],
    [["hook", "PreW"], ["PreWrite"]],
    [
      ["guard", "co"],
      ["codex", "copilot"],
    ],
    [["init", "--client", "claude", "g"], ["gemini"]],
    [["schema", "conf"], ["config"]],
    [["run", ""], [":files"]],
    [["land", "x", "--scope", "s"], [":files"]],
    [["do", ""], []],
    [["exec", "T-1", "--", "--he"], []],
    [["nonsense", "task", ""], []],
  ])("after %j", async (words, values) => {
    expect(valuesOf(await completionLines(program, words))).toEqual(values);
  });

  it.each<[readonly string[], readonly string[]]>([
    [
      ["task", "show", ""],
      ["T-1", "T-22"],
    ],
    [["task", "add", "X", "--depends-on", "T-1", "T-2"], ["T-22"]],
    [["land", "main", "f"], ["feature/two-digits"]],
    [["decide", ""], ["UD-1"]],
    [["status", "--session", ""], ["2026-11-15_prices"]],
    [
      ["run", "--agent", ""],
      ["coder", "critic"],
    ],
    [["run", "--agent=cr"], ["--agent=critic"]],
    // As bash splits it.
    [["run", "--agent", "=", "cr"], ["critic"]],
    [
      ["run", "--agent", "="],
      ["coder", "critic"],
    ],
  ])("in a repository after %j", async (words, values) => {
    expect(valuesOf(await completed(...words))).toEqual(values);
  });

  it("has a short description", async () => {
    for (const line of await completionLines(program, [""])) expect(line).toMatch(/^[\w-]+\t.{5,60}$/);
    expect(await completed("task", "show", "T-")).toEqual([
      ...["T-1\tIN_PROGRESS Round: prices", `T-22\tPENDING ${"b".repeat(51)}…`],
    ]);
  });
});

describe("a completion without candidates", () => {
  it("is empty in a repository without a ledger, and creates none", async () => {
    using other = temporaryRepository();
    for (const words of [
      ["task", "show", ""],
      ["decide", ""],
      ["status", "--session", ""],
    ])
      expect(await other.run(["__complete", "--", ...words])).toMatchObject({
        status: 0,
        stdout: "",
        stderr: "",
      });
    expect(existsSync(join(other.path, ".git/lockstep"))).toBe(false);
  });

  it.each([
    ["the ledger is damaged", { ".lockstep/state/state.db": "no database" }, ["task", "show", ""]],
    ["the configuration is wrong", { ".lockstep/config.yaml": "agents: [" }, ["run", "--agent", ""]],
    ["there is no repository", {}, ["land", ""]],
  ])("is empty if %s, without a message", async (_, files, words) => {
    using folder = temporaryFolder(files);
    const run = await startProgram([...lockstepWords, "__complete", "--", ...words], {
      cwd: folder.path,
    }).ended;
    expect(run).toMatchObject({ status: 0, stdout: "", stderr: "" });
  });

  it("is empty for an agent in the sandbox, which has no ledger", async () => {
    const run = await repository.run(["__complete", "--", "task", "show", ""], {
      env: { LOCKSTEP_SOCKET: "/nowhere", LOCKSTEP_TASK: "T-1" },
    });
    expect(run).toMatchObject({ status: 0, stdout: "", stderr: "" });
  });

  it("changes nothing in the ledger", async () => {
    const state = join(repository.path, ".git/lockstep");
    const look = () =>
      readdirSync(state)
        .filter((name) => !/-(?:shm|wal)$/.test(name))
        .map((name) => [name, statSync(join(state, name)).mtimeMs]);
    const before = look();
    await completed("task", "show", "");
    expect(look()).toEqual(before);
  });
});

/** A shell process with the completion of `lockstep`, which prints the candidates. */
function inShell(words: readonly string[]): Promise<CommandRun> {
  return startProgram(words, {
    cwd: repository.path,
    env: { PATH: [bin.path, process.env.PATH].join(delimiter), HOME: bin.path, TERM: "dumb" },
  }).ended;
}

const missing = (shell: Shell) => spawnSync(shell, ["-c", "exit 0"]).error?.message;

describe("bash", () => {
  const bash = async (line: string) => {
    const script = `source <(lockstep completion bash)
      complete -p lockstep
      COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      _lockstep lockstep "\${COMP_WORDS[COMP_CWORD]}" && printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr, status } = await inShell(["bash", "--norc", "-c", script]);
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    const [registered, ...offered] = stdout.trimEnd().split("\n");
    expect(registered).toBe("complete -F _lockstep lockstep");
    return offered;
  };

  it.each([
    ["lockstep task sho", ["show"]],
    ["lockstep task show ''", ["T-1", "T-22"]],
    ["lockstep land fe", ["feature/two-digits"]],
    ["lockstep run --agent = cr", ["critic"]],
    ["lockstep do ''", []],
  ])("%s", async (line, offered) => {
    expect(await bash(line)).toEqual(offered);
  });

  it("completes the typed word, and files too", async () => {
    const typed = `source <(lockstep completion bash)\nlockstep run pla\tpri\t && echo ran`;
    const shell = startProgram(["bash", "--norc", "-i"], {
      cwd: repository.path,
      input: `${typed}\nexit\n`,
      env: { PATH: [bin.path, process.env.PATH].join(delimiter), HOME: bin.path, TERM: "dumb", PS1: "$ " },
    });
    using running = shell;
    const { stderr } = await running.ended;
    expect(stderr).toContain("lockstep run plans/prices.yaml");
  });
});

describe.skipIf(skipLoudly("COMPLETIONS OF zsh", missing("zsh")))("zsh", () => {
  /** Types into a zsh of its own, and prints the line after the last key. */
  const script = `zmodload zsh/zpty
    zpty shell zsh -f -i
    say() { zpty -w shell "$1" }
    say "PS1= PROMPT_EOL_MARK= ; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D"
    say "source <(lockstep completion zsh)"
    say 'show-line() { print -r -- "<<$BUFFER>>"; BUFFER= }; zle -N show-line; bindkey "^G" show-line'
    say 'print -r -- ready-"now"'
    zpty -r shell heard '*ready-now*'
    zpty -w -n shell "$1"$'\\t\\a'
    zpty -r shell heard '*<<*>>*'
    print -r -- "\${\${heard##*<<}%%>>*}"
    zpty -d shell`;

  it.each([
    ["lockstep task sho", "lockstep task show "],
    ["lockstep land fe", "lockstep land feature/two-digits "],
    ["lockstep run --agent cr", "lockstep run --agent critic "],
    ["lockstep run plans/pri", "lockstep run plans/prices.yaml "],
  ])("%s", async (typed, line) => {
    const { stdout, stderr } = await inShell(["zsh", "-f", "-c", script, "zsh", typed]);
    expect({ stdout, stderr }).toEqual({ stdout: `${line}\n`, stderr: "" });
  });
});

describe.skipIf(skipLoudly("COMPLETIONS OF fish", missing("fish")))("fish", () => {
  it.each([
    ["lockstep task sho", /^show\tshow one task/],
    ["lockstep task show T-1", /^T-1\tIN_PROGRESS Round: prices$/],
    ["lockstep land fe", /^feature\/two-digits\t/],
    ["lockstep run --agent cr", /^critic\tReviewer, codex$/],
    ["lockstep run --agent=cr", /^--agent=critic\tReviewer, codex$/],
    ["lockstep run plans/pri", /^plans\/prices\.yaml/],
  ])("%s", async (typed, offered) => {
    const script = `lockstep completion fish | source; complete -C ${JSON.stringify(typed)}`;
    const { stdout, stderr } = await inShell(["fish", "--no-config", "-c", script]);
    expect(stderr).toBe("");
    expect(stdout.trimEnd().split("\n")).toEqual([expect.stringMatching(offered)]);
  });
});

describe("lockstep completion", () => {
  it("for an unknown shell names the known ones", async () => {
    const { status, stdout, stderr } = await repository.run(["completion", "fsih"]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe("lockstep: R-IN-001: there is no completion for `fsih`: did you mean `fish`?\n");
    expect((await repository.run(["completion", "powershell"])).stderr).toContain(
      "name one of bash, zsh, fish",
    );
  });
});
