import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GuardedRepository } from "./guarded-repository.ts";

/** A command of an agent whose task holds src/a/**, and its output if it worked. */
export interface OrdinaryCall {
  readonly command: string;
  readonly says: RegExp;
}

const bad = "echo bad > docs/guide.md; rm -f README.md; echo bad > src/b/x.ts; echo new > docs/new.md";

const files: Readonly<Record<string, string>> = {
  ".gitignore": [
    ...["node_modules", "dist", "coverage", ".venv", "__pycache__", "*.log", ".husky/_"],
    ...[".opencode", ".claude", ".codex", ".gemini", ".github", ""],
  ].join("\n"),
  "package.json": JSON.stringify({
    name: "calls",
    version: "1.0.0",
    scripts: {
      test: "node --test src/a/sum.test.js",
      build: "node src/a/build.js",
      clean: "rm -rf dist",
      lint: "node --check src/a/sum.js && echo no faults",
      dev: "node src/a/serve.js",
      bad: "sh src/a/bad.sh",
    },
  }),
  "package-lock.json": JSON.stringify({
    ...{ name: "calls", version: "1.0.0", lockfileVersion: 3 },
    packages: { "": { name: "calls", version: "1.0.0" } },
  }),
  Makefile:
    ".PHONY: all test bad\nall:\n\tnode src/a/build.js\ntest:\n\tnode --test src/a/sum.test.js\nbad:\n\tsh src/a/bad.sh\n",
  "src/a/Makefile": "all:\n\techo made below > made.txt\n\tcat made.txt\n",
  "src/a/bad.mk": "all:\n\tsh src/a/bad.sh\n",
  "src/a/bad.sh": `${bad}\n`,
  "src/a/bad.js": `require("node:child_process").execSync(${JSON.stringify(bad)});\n`,
  "src/a/bad.py": `import os\nos.system(${JSON.stringify(bad)})\n`,
  "src/a/bad.test.js": `require("node:test")("bad", () => require("./bad.js"));\n`,
  "src/a/later.sh": `(setsid sh -c 'sleep 0.2; ${bad}' > /dev/null 2>&1 < /dev/null &)\nsleep 0.4\n`,
  "src/a/worse.sh":
    "mv docs docs2; mv src src2; mv src/b src/c; echo x > .git/config; rm -rf .git/hooks .git/lockstep; ln -sf a docs/guide.md\n",
  "src/a/settings.sh": [
    "for file in .claude/settings.json .claude/settings.local.json .codex/hooks.json .codex/config.toml",
    "  .gemini/settings.json .opencode/plugin/lockstep.js .opencode/plugins/lockstep.js opencode.json",
    "  .github/hooks/lockstep.json",
  ]
    .join(" ")
    .concat("\ndo mkdir -p $(dirname $file); echo '{}' > $file; done\n"),
  "src/a/build.js":
    "require('node:fs').mkdirSync('dist', { recursive: true }); require('node:fs').writeFileSync('dist/a.js', 'console.log(\"built\", 6 * 7)'); console.log('built it');\n",
  "src/a/make.js": "require('node:fs').writeFileSync('src/a/made.ts', 'made');",
  "src/a/tell.js": "console.log('result', 6 * 7); process.exitCode = 7;",
  "src/a/wait.js": "setInterval(() => {}, 1000);",
  "src/a/leave.sh": "setsid node src/a/wait.js $1 > src/a/left.log 2>&1 < /dev/null &\nsleep 0.2\n",
  // Once: some clients wait for the end of background processes.
  "src/a/serve.js": `
const { writeFileSync } = require("node:fs");
const server = require("node:http").createServer((request, response) => {
  response.end("served by " + process.argv[2], () => setTimeout(() => process.exit(), 500));
});
server.listen(0, "127.0.0.1", () => {
  writeFileSync("src/a/port", String(server.address().port));
  console.log("listening");
});
`,
  // Repeats until there is an answer.
  "src/a/ask.js": `
const { readFileSync, rmSync } = require("node:fs");
(async () => {
  for (let tries = 0; tries < 600; tries += 1) {
    try {
      console.log(await (await fetch("http://127.0.0.1:" + readFileSync("src/a/port", "utf8"))).text());
      return rmSync("src/a/port");
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
})();
`,
  "src/a/sum.js": "module.exports = (one, other) => one + other;\n",
  "src/a/sum.test.js":
    "require('node:test')('sum', () => require('node:assert').equal(require('./sum.js')(1, 2), 3));\n",
  "src/a/sum_test.py":
    "import unittest\nclass Sum(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(1 + 2, 3)\n",
  "src/a/old.js": "module.exports = 'old';\n",
  "src/a/word.js": "module.exports = 'one';\n",
  // Ends the watch with the second word: Copilot runs no command that ends a process by a variable or by a job.
  "src/a/watched.js":
    "const word = require('./word.js'); console.log('word', word); setInterval(() => {}, 1000); if (word === 'two') process.kill(process.ppid);\n",
  // Waits until the watched process has printed this.
  "src/a/until.js": `
(async () => {
  const fs = require("node:fs");
  const log = () => (fs.existsSync("src/a/watched.log") ? fs.readFileSync("src/a/watched.log", "utf8") : "");
  for (let tries = 0; tries < 600 && !log().includes("word " + process.argv[2]); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
  console.log(log());
})();
`,
  ".husky/pre-commit": "node src/a/make.js\n",
  ".husky/_/pre-commit": '#!/bin/sh\nexec sh -e "$(dirname "$0")/../pre-commit"\n',
};

/** Programs that the calls run, and a branch `other` with changes outside the lock. */
export function putPrograms(repository: GuardedRepository): void {
  const { path, git, write } = repository;
  for (const [file, text] of Object.entries(files)) write(file, text);
  git("add", "-A");
  git("commit", "-qm", "programs");
  chmodSync(join(path, ".husky/_/pre-commit"), 0o755);
  for (const [name, value] of Object.entries({ name: "t", email: "t@localhost" }))
    git("config", `user.${name}`, value);
  git("checkout", "-q", "-b", "other");
  write("docs/guide.md", "other\n");
  git("commit", "-qam", "other");
  const patch = execFileSync("git", ["format-patch", "-1", "--stdout"], { cwd: path });
  git("checkout", "-q", "main");
  writeFileSync(join(path, "src/a/other.patch"), patch);
  git("add", "-A");
  git("commit", "-qm", "a patch");
  git("config", "core.hooksPath", ".husky/_");
}

/** In order: some need the results of others. */
export function ordinaryCalls(registry: string): readonly OrdinaryCall[] {
  const npm = `--registry ${registry}/npm --no-audit --no-fund`;
  const scratch = `/tmp/lockstep-calls-${process.pid}`;
  const rows: readonly (readonly [command: string, says: RegExp])[] = [
    ["ls -la && cat package.json", /src\/a\/build\.js/],
    ["grep -rn exports src/a | head -20", /src\/a\/sum\.js:1:/],
    ["find . -name '*.js' -not -path './node_modules/*' | sort", /\.\/src\/a\/sum\.js/],
    ["git status --short && git diff --stat && echo nothing changed", /nothing changed/],
    ["git log --oneline -5", /programs/],
    ["git branch --show-current && git stash list", /main/],
    ["node --version && npm --version", /v\d+\.\d+\.\d+/],
    // tests and coverage
    ["node --test src/a/sum.test.js", /pass 1/],
    ["npm test", /pass 1/],
    ["npm test --silent 2>&1 | tail -20", /pass 1/],
    ["npm test 2>&1 | tee src/a/test.log", /pass 1/],
    ["tail -5 src/a/test.log && wc -l < src/a/test.log", /duration_ms/],
    ["timeout 120 npm test", /pass 1/],
    ["CI=true npm test || echo failed", /pass 1/],
    ["python3 -m unittest discover -s src/a -p '*_test.py'", /Ran 1 test[\s\S]*OK/],
    ["node --test --experimental-test-coverage src/a/sum.test.js", /all files\s*\|\s*100/],
    ["NODE_V8_COVERAGE=coverage node --test src/a/sum.test.js && ls coverage", /coverage-\d+-\d+-\d+\.json/],
    // builds
    ["npm run build", /built it/],
    ["node dist/a.js", /built 42/],
    ["npm run clean && npm run build && ls dist", /built it[\s\S]*a\.js/],
    ["make", /built it/],
    ["make test", /pass 1/],
    ["make -C src/a && cat src/a/made.txt", /made below/],
    ["npm run lint --if-present", /no faults/],
    // packages
    ["npm ci --offline --no-audit --no-fund", /up to date|added \d+/],
    [`npm install ${npm} --no-save --no-package-lock tiny`, /added 1 package/],
    [`node -p 'require("tiny").toUpperCase()'`, /TINY/],
    ["npm pack --dry-run 2>&1 | grep -c src/a", /\d+/],
    ["python3 -m venv --without-pip src/a/.venv && src/a/.venv/bin/python -c 'print(6 * 7)'", /42/],
    // edits in the lock
    [
      "cat > src/a/new.js <<'EOF'\nmodule.exports = 'new';\nEOF\ntr a-z A-Z < src/a/new.js",
      /MODULE\.EXPORTS = 'NEW'/,
    ],
    ["mkdir -p src/a/deep && mv src/a/new.js src/a/deep/new.js && ls src/a/deep | tr a-z A-Z", /NEW\.JS/],
    ["sed -i 's/old/older/' src/a/old.js && cat src/a/old.js", /'older'/],
    // Gemini itself sets an external diff that does not exist.
    [
      "perl -pi -e 's/older/oldest/' src/a/old.js && git diff --no-ext-diff src/a/old.js",
      /\+module\.exports = 'oldest'/,
    ],
    [
      "python3 - <<'EOF'\nopen('src/a/py.txt', 'w').write('by ' + 'python')\nEOF\ncat src/a/py.txt",
      /by python/,
    ],
    [`node -e 'fs.writeFileSync("src/a/js.txt", "by " + "node")' && cat src/a/js.txt`, /by node/],
    // Gemini itself runs no substitution.
    [`cp src/a/js.txt ${scratch} && wc -c ${scratch} && rm ${scratch}`, /7 \/tmp\//],
    [`(cd src/a && node -p 'require("./sum.js")(40, 2)')`, /42/],
    [`export GREETING=hello && node -p 'process.env.GREETING.toUpperCase()'`, /HELLO/],
    // git in the lock
    [
      "git add src/a/deep src/a/old.js && git commit -qm 'Add new' && git log -1 --format='is %s'",
      /is Add new/,
    ],
    ["git show --stat HEAD", /src\/a\/deep\/new\.js/],
    ["git rm -q src/a/old.js && git commit -qm 'Remove old' && git log -1 --format='is %s'", /is Remove old/],
    ["git mv src/a/js.txt src/a/js.md 2>&1 || git status --short src/a", /js\.txt|js\.md/],
    [
      "echo more >> src/a/sum.js && git restore src/a/sum.js && git status --short src/a/sum.js && echo as before",
      /as before/,
    ],
    ["git blame src/a/sum.js && git log -p -1 -- src/a | head -40", /Remove old/],
    ["git diff HEAD~1 --stat", /old\.js/],
    // servers and watch modes
    ["node src/a/serve.js node > src/a/serve.log 2>&1 & node src/a/ask.js; wait", /served by node/],
    [
      "npm run dev -- npm > src/a/dev.log 2>&1 & node src/a/ask.js; wait; cat src/a/dev.log",
      /served by npm[\s\S]*listening/,
    ],
    [
      "node --watch src/a/watched.js > src/a/watched.log 2>&1 & node src/a/until.js one; " +
        "echo \"module.exports = 'two';\" > src/a/word.js; node src/a/until.js two; wait; echo watched",
      /word one[\s\S]*word two[\s\S]*watched/,
    ],
  ];
  return rows.map(([command, says]) => ({ command, says }));
}

/** Each would change something outside the lock. */
export const attacks: readonly string[] = [
  // the shell's own writes
  "echo bad > docs/guide.md",
  "echo bad >> README.md",
  "cat src/a/word.js > src/b/x.ts",
  "{ echo bad; } > docs/guide.md",
  "exec 3> docs/guide.md; echo bad >&3",
  "cd docs && echo bad > guide.md",
  "(cd docs; rm guide.md)",
  "cd src/a && echo bad > ../../docs/guide.md",
  "pushd docs > /dev/null && echo bad > guide.md",
  'echo bad > "$PWD/docs/guide.md"',
  "echo bad > src/a/../b/x.ts",
  "echo bad > src/a/lf",
  "echo bad > src/a/link-b/x.ts",
  "echo bad > src/a/dangling",
  "f=docs/guide.md; echo bad > $f",
  "f() { echo bad > docs/guide.md; }; f",
  "for f in docs/guide.md src/b/x.ts; do echo bad > $f; done",
  "trap 'echo bad > docs/guide.md' EXIT",
  "eval 'echo bad > docs/guide.md'",
  "builtin echo bad > docs/guide.md",
  "echo bad > docs/new.md & wait",
  // programs with known writes
  "tee docs/guide.md < src/a/word.js",
  "cp src/a/word.js docs/guide.md",
  "cp -r src/a/deep src/b 2> /dev/null; cp -r src/a/. docs",
  "mv docs/guide.md src/a/guide.md",
  "mv src/b src/a/b",
  "rm README.md",
  "rm -rf docs",
  "ln -sf ../src/a/word.js docs/guide.md",
  "touch docs/new.md",
  "mkdir -p docs/deep && touch docs/deep/x",
  "chmod +x README.md",
  "truncate -s 0 README.md",
  "dd if=src/a/word.js of=docs/guide.md",
  "install -m 644 src/a/word.js docs/guide.md",
  "sed -i s/x/bad/ docs/guide.md",
  "sed -n 'w docs/guide.md' src/a/word.js",
  "sort -o docs/guide.md src/a/word.js",
  "perl -pi -e 's/x/bad/' docs/guide.md",
  `awk 'BEGIN { print "bad" > "docs/guide.md" }'`,
  "tar -cf docs/new.tar src/a",
  "find docs -type f -delete",
  "ls docs/guide.md | xargs rm",
  "echo docs/guide.md | xargs -I{} cp src/a/word.js {}",
  `find docs -name guide.md -exec sh -c 'echo bad > "$1"' _ {} \\;`,
  // nested shells
  "bash -c 'echo bad > docs/guide.md'",
  'sh -c "echo bad > $(echo docs/guide.md)"',
  "printf 'echo bad > docs/guide.md' | sh",
  "bash <<< 'echo bad > docs/guide.md'",
  "sh <<'EOF'\necho bad > docs/guide.md\nEOF",
  "env sh -c 'echo bad > docs/guide.md'",
  "timeout 20 sh -c 'echo bad > docs/guide.md'",
  "nohup sh -c 'echo bad > docs/guide.md' > /dev/null 2>&1",
  'echo "$(sh src/a/bad.sh)"',
  // programs with unknown writes
  "sh src/a/bad.sh",
  "bash -- src/a/bad.sh",
  ". src/a/bad.sh",
  "for i in 1 2; do sh src/a/bad.sh; done | cat",
  "sh src/a/bad.sh & wait",
  "sh src/a/later.sh",
  "setsid -w sh src/a/bad.sh",
  "sh src/a/worse.sh",
  "sh src/a/settings.sh",
  "node src/a/bad.js",
  "node --test src/a/bad.test.js",
  `node -e 'require("fs").writeFileSync("docs/new.md", "bad")'`,
  `node -e 'require("fs").rmSync("docs", { recursive: true })'`,
  "python3 src/a/bad.py",
  `python3 -c 'open("docs/guide.md", "w").write("bad")'`,
  "python3 - <<'EOF'\nopen('docs/guide.md', 'w').write('bad')\nEOF",
  `python3 -c 'open("src/a/lf", "w")'`,
  `python3 -c 'import os; os.rename("src/b", "src/a/c")'`,
  `python3 -c 'import os; os.symlink("../../docs", "src/a/out"); open("src/a/out/guide.md", "w")'`,
  `python3 -c 'import shutil; shutil.rmtree("docs")'`,
  `python3 -c 'import subprocess; subprocess.Popen(["sh", "src/a/bad.sh"], start_new_session=True).wait()'`,
  `perl -e 'open(F, ">", "docs/guide.md"); print F "bad"'`,
  "for f in src/b/x.ts docs/guide.md; do python3 -c 'import sys; open(sys.argv[1], \"w\")' $f; done",
  "make bad",
  "make -f src/a/bad.mk",
  "npm run bad",
  "npm exec -c 'sh src/a/bad.sh'",
  // git, which changes files and runs programs
  "git merge -q --no-edit other",
  "git pull -q --no-rebase --no-edit . other",
  "git cherry-pick other",
  "git revert --no-edit HEAD~1",
  "git rebase -q other",
  "git am -q src/a/other.patch",
  "git apply src/a/other.patch",
  "git diff main other -- docs | git apply",
  "git checkout -q other -- docs",
  "git checkout -q other",
  "git switch -q other",
  "git restore --source other docs",
  "git reset -q --hard other",
  "git read-tree --reset -u other",
  "git update-ref refs/heads/main other",
  "git symbolic-ref HEAD refs/heads/other",
  "git rm -q README.md",
  "git mv README.md src/a/README.md",
  "git -c alias.x='!sh src/a/bad.sh' x",
  "git config core.hooksPath src/a",
  "git config alias.x '!sh src/a/bad.sh'",
  "echo 'sh src/a/bad.sh' > .git/hooks/pre-commit",
  `python3 -c 'open(".git/hooks/post-commit", "w").write("bad")'`,
  `python3 -c 'open(".git/config", "a").write("[alias]")'`,
];

/** What a task with src/a/** may not change, by name: files, and the state of git. */
export function outsideOf({ path }: GuardedRepository): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const add = (folder: string) => {
    for (const entry of readdirSync(join(path, folder), { withFileTypes: true })) {
      const name = join(folder, entry.name);
      if (inside.test(name)) continue;
      if (entry.isDirectory()) add(name);
      else found[name] = entryOf(join(path, name), entry.isSymbolicLink());
    }
  };
  add("");
  return found;
}

const inside =
  /^(?:src\/a|worklogs|node_modules|dist|coverage|\.opencode\/(?:node_modules|\.gitignore))(?:$|\/)|^\.git\/(?!config$|hooks(?:$|\/)|HEAD$|refs$|refs\/heads(?:$|\/)|packed-refs$|info(?:$|\/))/;

function entryOf(file: string, isLink: boolean): string {
  if (isLink) return `-> ${readlinkSync(file)}`;
  return `${lstatSync(file).mode.toString(8)} ${readFileSync(file, "latin1")}`;
}
