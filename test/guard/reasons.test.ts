import { describe, expect, it } from "vitest";
import { refusalOf } from "../../src/guard/judge/answers.ts";
import { fixtureProject, projectHolding } from "../support/fixture-project.ts";

const reasonsOf = (command: string) => fixtureProject.judge(command).map(({ reason }) => reason);

describe("a verdict lists everything that is wrong with a command", () => {
  it("lists each write, refusal and mention", () => {
    const reasons = reasonsOf(
      "git push; cp src/a/x.ts src/b/y.ts; touch docs/x; rm README.md; ./tool src/b/x.ts",
    );
    expect(reasons).toEqual([
      expect.stringContaining("git push"),
      expect.stringContaining("src/b/y.ts"),
      expect.stringContaining("docs/x"),
      expect.stringContaining("README.md"),
      expect.stringContaining("src/b/x.ts"),
    ]);
  });

  it("lists every file that a wildcard matches, and every path that is passed to an unknown program", () => {
    const held = projectHolding(["**"], ["src/a/x.ts", "src/a/ok.ts"]).judge(
      "touch src/a/x.ts src/a/ok.ts src/a/y.ts",
    );
    expect(held.map(({ path }) => path)).toEqual(
      ["src/a/x.ts", "src/a/ok.ts"].map((file) => `/repo/${file}`),
    );
    expect(reasonsOf("touch src/a/l*")).toHaveLength(2);
    expect(reasonsOf('python3 -c \'open("src/b/x.ts"); open(".git/HEAD")\'')).toHaveLength(2);
  });

  it("shows five reasons and counts the rest, the strictest first", () => {
    const refusal = refusalOf(fixtureProject.judge("touch a b c d docs/e README.md; git push"));
    expect(refusal?.code).toBe("R-PW-002");
    expect(refusal?.reason).toMatch(
      /^`git push`.*(?:; touch: `[^`]+` lies outside the lock scope){4} \(and 2 more\)$/,
    );
    expect(refusal?.details.reasons).toHaveLength(5);
  });

  it("prints a single reason unchanged", () => {
    const refusal = refusalOf(fixtureProject.judge("touch docs/x; echo y > docs/x"));
    expect(refusal?.details).toEqual({
      path: "/repo/docs/x",
      reasons: ["touch: `docs/x` lies outside the lock scope"],
    });
  });
});

describe("a refusal names the fault and the next step", () => {
  it.each([
    ["git checkout main", "`git checkout main` rewrites the whole work tree: stay on your branch"],
    ["git switch main", "`git switch main` rewrites the whole work tree: stay on your branch"],
    [
      "git checkout -f",
      "`git checkout` rewrites the whole work tree: name the paths in your scope after `--`",
    ],
    ["git restore -p", "name the paths in your scope after `--`"],
    ["git restore :/src/b", "git writes to `:/src/b…`"],
    ["git stash", "commit your own files instead"],
    ["git stash pop", "git restore --source=stash@{0} -- PATH"],
    ["git config --edit", "set the one you need with `git config NAME VALUE`"],
    ["git config alias.x y", "`git config` changes `alias.x`"],
    ['git config "$X" y', "`git config` changes a setting that is not known before it runs"],
    [
      "cargo fmt",
      "the whole project must not be written as a whole, because it contains `.git`: name the files or folders",
    ],
    ["git clean -fd", "the whole project must not be written as a whole"],
    ["rm -rf .git", "`.git` must not be written: it is protected"],
    ["git clean --no -f", "`git clean --no` matches several options: write the full name of the option"],
    ["git reset HEAD~1", "undo what a commit did with `git restore --source=REF -- PATH`"],
    ["git rebase main", "take files of another commit with `git restore --source=REF -- PATH`"],
    ["git pull --rebase", "take files of another commit with `git restore --source=REF -- PATH`"],
    ["killall node", "end a process of your own by its number (`kill $!`)"],
    ["$X a", "write the name out"],
  ])("%s", (command, expected) => {
    expect(reasonsOf(command).join("\n")).toContain(expected);
  });
});
