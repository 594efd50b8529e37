import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentEnvironment } from "../../support/guarded-repository.ts";
import { eventually } from "../../support/run-command.ts";
import { missing } from "../../support/walled.ts";
import { type GuardedCase, type GuardedClient, openGuardedClient } from "./guarded-client.ts";

const registry = "https://registry.npmjs.org";
const offline = await fetch(`${registry}/is-number/7.0.0`).then(
  ({ ok }) => !ok,
  () => true,
);

/** The client as a person runs it, with commands whose writes cannot be known before they run. */
export function sandboxCases(given: GuardedCase): void {
  const { client, title = client, installed, calls, rules } = given;
  const isPossible = installed.missing === undefined && missing === undefined;
  describe.skipIf(!isPossible)(`${title} and the sandbox around unknown programs`, () => {
    let place: GuardedClient;
    let env: Readonly<Record<string, string>>;
    beforeEach(async () => {
      place = openGuardedClient(given);
      const { repository } = place;
      const bad = "echo bad > docs/guide.md; rm -f README.md; echo bad > src/b/x.ts; echo new > docs/new.md";
      for (const [file, text] of Object.entries({
        ".gitignore":
          "node_modules\n.husky/_\n*.log\n.opencode\n.claude\n.codex\n.gemini\n.github\nopencode.json\n",
        "package.json": JSON.stringify({ scripts: { test: "sh src/a/bad.sh" } }),
        Makefile: "bad:\n\tsh src/a/bad.sh\n",
        "src/a/bad.sh": `${bad}\n`,
        "src/a/make.js": "require('node:fs').writeFileSync('src/a/made.ts', 'made');",
        "src/a/tell.js": "console.log('told', 6 * 7); process.exitCode = 7;",
        "src/a/wait.js": "setInterval(() => {}, 1000);",
        "src/a/leave.sh": "setsid node src/a/wait.js $1 > src/a/left.log 2>&1 < /dev/null &\nsleep 0.2\n",
        "src/a/serve.js": serve,
        "src/a/ask.js": ask,
        "src/a/sum.test.js": "require('node:test')('sum', () => require('./word.js'));\n",
        "src/a/word.js": "module.exports = 'one';\n",
        "src/a/watched.js": "console.log('word', require('./word.js')); setInterval(() => {}, 1000);\n",
        "src/a/until.js": until,
        ".husky/pre-commit": "node src/a/make.js\n",
        ".husky/_/pre-commit": '#!/bin/sh\nexec sh -e "$(dirname "$0")/../pre-commit"\n',
      }))
        repository.write(file, text);
      repository.git("add", "-A");
      repository.git("commit", "-qm", "programs");
      chmodSync(join(repository.path, ".husky/_/pre-commit"), 0o755);
      for (const [name, value] of Object.entries({ name: "t", email: "t@localhost" }))
        repository.git("config", `user.${name}`, value);
      repository.git("config", "core.hooksPath", ".husky/_");
      env = agentEnvironment(await repository.dispatch("T-A", ["src/a/**"]));
    });
    afterEach(() => place[Symbol.dispose]());

    const has = (path: string) => existsSync(join(place.repository.path, path));
    const changed = () => place.repository.git("status", "--porcelain", "--untracked-files=all");
    const talk = (commands: readonly string[]) => place.converse(commands.map(calls.shell), { env });

    it("lets them write nothing outside the lock, and says why they failed", async () => {
      const ran = await talk([
        `python3 -c 'open("docs/guide.md", "w").write("bad")'`,
        `node -e 'require("fs").writeFileSync("docs/new.md", "bad")'`,
        "sh src/a/bad.sh",
        "npm test",
        "make bad",
        "for f in src/b/x.ts docs/guide.md; do python3 -c 'import sys; open(sys.argv[1], \"w\")' $f; done",
      ]);
      expect(changed(), ran.heard).toBe("");
      expect(ran.heard).toMatch(/read-only file system/i);
      expect(ran.heard).toContain("what this command may not write was read-only");
      expect(ran.heard).toContain("lockstep widen T-A PATH");
    });

    it("lets them write in the lock, with their output and exit code, and commit it", async () => {
      const ran = await talk([
        "node src/a/tell.js",
        "node src/a/make.js && git add src/a && git commit -qm made",
      ]);
      expect(place.repository.git("log", "-1", "--format=%s"), ran.heard).toBe("made");
      expect(place.repository.git("show", "HEAD:src/a/made.ts")).toBe("made");
      expect(ran.heard).toContain("told 42");
      if (client !== "opencode") expect(ran.heard).toMatch(/exit(?:ed with)? code:? 7/i);
    });

    it("lets them measure coverage", async () => {
      const ran = await talk(["node --test --experimental-test-coverage src/a/sum.test.js"]);
      expect(ran.heard).toMatch(/all files\s*\|\s*100/);
      expect(changed()).toBe("");
    });

    it("lets git run its hooks, which write in the lock and nowhere else", async () => {
      place.repository.write(
        ".husky/pre-commit",
        "sh src/a/bad.sh || true; node src/a/make.js; git add src/a/made.ts\n",
      );
      place.repository.git("commit", "-qam", "hook", "--no-verify");
      const ran = await talk(["echo more >> src/a/x.ts && git add src/a/x.ts && git commit -m more"]);
      const { git } = place.repository;
      expect(git("log", "-1", "--format=%s"), ran.heard).toBe("more");
      expect(git("show", "--name-only", "--format=", "HEAD").split("\n")).toEqual([
        "src/a/made.ts",
        "src/a/x.ts",
      ]);
      expect(changed()).toBe("");
    });

    // Copilot itself lets nothing run that ends a process by a variable.
    it.skipIf(client === "copilot")(
      "lets them watch in the background until a signal ends them",
      async () => {
        const ran = await talk([
          "node --watch src/a/watched.js > src/a/watched.log 2>&1 & watch=$!; node src/a/until.js one; " +
            "echo \"module.exports = 'two';\" > src/a/word.js; node src/a/until.js two; " +
            "kill $watch; wait $watch; echo ended with $?",
        ]);
        expect(ran.heard).toMatch(/word one.*word two.*ended with (?:0|143)/s);
        await gone("src/a/watched.js");
      },
    );

    it.skipIf(calls.background === undefined)("serves later calls from the background", async () => {
      const port = await freePort();
      const background = calls.background?.(`node src/a/serve.js ${port}`);
      const made = [
        ...(background === undefined ? [] : [background]),
        calls.shell(`node src/a/ask.js ${port}`),
      ];
      const ran = await place.converse(made, { env });
      expect(ran.heard).toContain(`served at ${port}`);
    });

    it.skipIf(offline)("lets a package manager fetch, and find it in its cache again", async () => {
      const install = `npm install --registry ${registry} --no-save --no-package-lock is-number@7.0.0`;
      const { SSL_CERT_FILE: cafile } = process.env; // a machine may have its own authority
      const ran = await place.converse(
        [calls.shell(install), calls.shell(`${install} --offline --prefix src/a`)],
        { env: { ...env, ...(cafile === undefined ? {} : { npm_config_cafile: cafile }) } },
      );
      expect(has("node_modules/is-number/package.json"), ran.heard.slice(-2000)).toBe(true);
      expect(has("src/a/node_modules/is-number/package.json"), ran.heard.slice(-2000)).toBe(true);
      expect(changed()).toBe("");
    });

    it("leaves no process behind", async () => {
      const mark = `mark-${process.pid}`;
      const timed = calls.timed?.(`node src/a/wait.js ${mark}`);
      await place.converse(
        [
          calls.shell(`timeout 1 node src/a/wait.js ${mark}`),
          calls.shell(`sh src/a/leave.sh ${mark}`),
          ...(timed === undefined ? [] : [timed]),
        ],
        { env },
      );
      expect(has("src/a/left.log")).toBe(true);
      await gone(mark);
    });

    it.each(Object.entries(rules))(
      "leaves the last word to its user: %s",
      async (_name, { runs, command = "node src/a/make.js", ...rule }) => {
        const before = () => {
          for (const [file, text] of Object.entries(rule.files ?? {}))
            if (file.startsWith("~/")) place.home.write(file.slice(2), text);
            else place.repository.write(file, text);
        };
        const ran = await place.converse([calls.shell(command)], { ...rule, env, before });
        expect(has("src/a/made.ts"), ran.heard).toBe(runs);
      },
    );
  });
}

/** Once: some clients wait for the end of what runs in the background. */
const serve = `
const server = require("node:http").createServer((request, response) => {
  response.end("served at " + process.argv[2], () => setTimeout(() => process.exit(), 500));
});
server.listen(Number(process.argv[2]), "127.0.0.1", () => console.log("listening"));
`;

/** Asks until there is an answer. */
const ask = `
(async () => {
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      console.log(await (await fetch("http://127.0.0.1:" + process.argv[2])).text());
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
})();
`;

/** Waits until what is watched has said this. */
const until = `
(async () => {
  const log = () => require("node:fs").readFileSync("src/a/watched.log", "utf8");
  for (let tries = 0; tries < 300 && !log().includes("word " + process.argv[2]); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
  console.log(log());
})();
`;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Waits until no process has this in its command line. */
async function gone(words: string): Promise<void> {
  const running = () =>
    readdirSync("/proc").filter((name) => {
      try {
        return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(words);
      } catch {
        return false; // it has just ended
      }
    });
  await eventually(`the end of ${words.replaceAll("\0", " ")}`, () => running().length === 0 || undefined);
}
