import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { analyzeCommand } from "./analyze.ts";
import { containCommand } from "./contain-command.ts";

const contained = (command: string, inQuotes = false) => {
  const parts = analyzeCommand(command, { cwd: "/repo", root: "/repo" });
  return containCommand(
    command,
    { ...parts, hookRuns: [] },
    { prefixes: { sandbox: "BOX", hooks: "HOOKS" }, inQuotes },
  );
};

/** Without the original, which comes first and never runs. */
const running = (command: string) => {
  const text = contained(command);
  const around = [`false && ${command}; `, `if false; then\n${command}\nfi\n`];
  return text.slice(around.find((before) => text.startsWith(before))?.length);
};

describe("a command with parts that cannot be followed", () => {
  it.each([
    ["npm test", "BOX npm test"],
    ["npm test && git commit -m x", "BOX npm test && git commit -m x"],
    ["cd a && FOO=1 npm test 2>&1 | tee out.log", "cd a && FOO=1 BOX npm test 2>&1 | tee out.log"],
    ["x=$(node -e 1); echo $x", "x=$(BOX node -e 1); echo $x"],
    ['echo "a `python3 x.py` b"', 'echo "a `BOX python3 x.py` b"'],
    ["for i in 1 2; do make $i; done", "for i in 1 2; do BOX make $i; done"],
    ["f() { go test; }; f; f", "f() { BOX go test; }; f; f"],
    ["timeout 5 npm test", "BOX timeout 5 npm test"],
    ["sh -c 'npm test; make'", "BOX sh -c 'npm test; make'"],
    ["echo a | xargs node x.js", "echo a | BOX xargs node x.js"],
    ["npm test & make; wait", "BOX npm test & BOX make; wait"],
    ["(npm test) || { make; }", "(BOX npm test) || { BOX make; }"],
    ["time npm test", "time BOX npm test"],
    ["! npm test", "! BOX npm test"],
    ["if npm test; then make; fi", "if BOX npm test; then BOX make; fi"],
    ["cat <<EOF\n$(node x.js)\nEOF", "cat <<EOF\n$(BOX node x.js)\nEOF"],
    ["python3 - <<'EOF'\nprint(1)\nEOF", "BOX python3 - <<'EOF'\nprint(1)\nEOF"],
    ["> out.log npm test", "> out.log BOX npm test"],
    ["diff <(node a.js) b", "diff <(BOX node a.js) b"],
    ["R=npm; $R test", "R=npm; BOX $R test"],
    ["npm \\\n test", "BOX npm \\\n test"],
    ["'npm' test", "BOX 'npm' test"],
  ])("runs each of these in the sandbox: %j", (command, expected) => {
    expect(running(command)).toBe(expected);
  });

  it.each([
    "eval 'npm test'",
    ". ./script.sh",
    "source venv/bin/activate && pytest",
    "exec npm start",
    "command npm test",
    "trap 'npm test' EXIT",
    "eval 'f() { npm test; }'; f",
    "shopt -s expand_aliases; alias t='npm test'; t",
  ])("runs as a whole in the sandbox if the shell itself runs them: %j", (command) => {
    expect(running(command)).toBe(`BOX bash -c '${command.replaceAll("'", "'\\''")}'`);
  });

  it.each([
    ["node a b", "false && node a b; eval 'BOX node a b'"],
    [
      "node -e '1' && git add x",
      "false && node -e '1' && git add x; eval 'BOX node -e '\\''1'\\'' && git add x'",
    ],
    ["node a; node b", "if false; then\nnode a; node b\nfi\nBOX node a; BOX node b"],
  ])("puts expansions in quotes for a client that needs it: %j", (command, expected) => {
    expect(contained(command, true)).toBe(expected);
  });

  it.each([
    ["node a b", "false && node a b; BOX node a b"],
    ["cd a && npm test | cat", "false && cd a && npm test | cat; cd a && BOX npm test | cat"],
    ["node 'a;b' \"c|d\"", "false && node 'a;b' \"c|d\"; BOX node 'a;b' \"c|d\""],
    ["node a; make", "if false; then\nnode a; make\nfi\nBOX node a; BOX make"],
  ])("keeps its text for the rules of the client's user: %j", (command, expected) => {
    expect(contained(command)).toBe(expected);
  });

  it.each([
    "echo ran; node a",
    "node a || echo ran",
    "node a & echo ran",
    "node a\necho ran",
    "node a \\' ; echo ran \\'",
    'node a \\" ; echo ran \\"',
    "node $'a\\'' ; echo ran '",
    'node "$(echo ")"; echo ran >&2; echo "b")"',
    'node "`echo \'"\' ; echo ran >&2`"',
    "node a # it's\necho ran # it's",
    "node a > /dev/null || echo ran",
    "node <<'EOF'\nfi\nEOF\necho ran",
    "{ node a; echo ran; }",
    "(node a; echo ran)",
    "node a |& cat; echo ran",
    "! node a && echo ran",
    "node a && false || echo ran",
  ])("runs no text that the original would not run: %j", (command) => {
    const box = contained(command).replaceAll("BOX ", "true ");
    const said = (text: string) => spawnSync("bash", ["-c", `node() { :; }\n${text}`], { encoding: "utf8" });
    const ran = ({ stdout, stderr }: ReturnType<typeof said>) => (stdout + stderr).split("ran").length - 1;
    expect(ran(said(box)), box).toBe(ran(said(command)));
  });
});

describe("a git command whose hooks run in the sandbox", () => {
  it.each([
    ["git commit -m x", "HOOKS git commit -m x"],
    ["npm test && git commit -m x", "BOX npm test && HOOKS git commit -m x"],
    ["cd a && timeout 9 git commit -m x", "cd a && HOOKS timeout 9 git commit -m x"],
    ["sh -c 'npm test; git commit -m x'", "BOX sh -c 'npm test; git commit -m x'"],
    ["eval 'git commit -m x'; npm test", "HOOKS bash -c 'eval '\\''git commit -m x'\\''; BOX npm test'"],
    ["eval 'npm test'; git commit -m x", "BOX bash -c 'eval '\\''npm test'\\''; git commit -m x'"],
    ["env -i git commit -m x", "BOX env -i git commit -m x"],
    ["git status && git log", "git status && git log"],
  ])("gets the prefix for hooks: %j", (command, expected) => {
    const parts = analyzeCommand(command, { cwd: "/repo", root: "/repo" });
    const text = containCommand(command, parts, {
      prefixes: { sandbox: "BOX", hooks: "HOOKS" },
      inQuotes: false,
    });
    expect(text.endsWith(`${expected}`), text).toBe(true);
  });
});
