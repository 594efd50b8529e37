import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentEnvironment } from "../../support/guarded-repository.ts";
import { localRegistry } from "../../support/local-registry.ts";
import { eventually } from "../../support/run-command.ts";
import { missing } from "../../support/sandboxed.ts";
import { attacks, ordinaryCalls, outsideOf, putPrograms } from "../../support/shell-calls.ts";
import { type GuardedCase, type GuardedClient, openGuardedClient } from "./guarded-client.ts";

const registry = "https://registry.npmjs.org";
const offline = await fetch(`${registry}/is-number/7.0.0`).then(
  ({ ok }) => !ok,
  () => true,
);

/** A hundred calls, one after the other. */
const long = { timeout: 1_800_000 };

/** The client as a person runs it, with commands whose writes cannot be known before they run. */
export function sandboxCases(given: GuardedCase): void {
  const { client, title = client, installed, calls, rules } = given;
  const isPossible = installed.missing === undefined && missing === undefined;
  describe.skipIf(!isPossible)(`${title} and the sandbox around unknown programs`, () => {
    let place: GuardedClient;
    let env: Readonly<Record<string, string>>;
    beforeEach(async () => {
      place = openGuardedClient(given);
      putPrograms(place.repository);
      env = agentEnvironment(await place.repository.dispatch("T-A", ["src/a/**"]));
    });
    afterEach(() => place[Symbol.dispose]());

    const has = (path: string) => existsSync(join(place.repository.path, path));
    const changed = () => place.repository.git("status", "--porcelain", "--untracked-files=all");
    const talk = (commands: readonly string[]) => place.converse(commands.map(calls.shell), { env });

    it("lets no attack change anything outside the lock, and gives the reason", long, async () => {
      const files = ["docs/new.md", "src/a/link-b/new.ts", "src/a/../b/new.ts", ".git/hooks/pre-commit"];
      const made = [...attacks.map(calls.shell), ...files.map(calls.write), ...calls.edit("docs/guide.md")];
      const look = () => outsideOf(place.repository);
      let before = look();
      let last = before;
      const harmful: string[] = [];
      const ran = await place.converse(made, {
        env,
        before: () => {
          before = look();
          last = before;
        },
        after: (call) => {
          const now = look();
          if (!isDeepStrictEqual(now, last)) harmful.push(JSON.stringify(made[call]));
          last = now;
        },
      });
      expect(harmful).toEqual([]);
      expect(ran.answers, ran.stdout + ran.stderr).toHaveLength(made.length);
      await sleep(1000); // time for a process that an attack left behind
      expect(look()).toEqual(before);
      expect(ran.prompts).toMatch(/read-only file system/i);
      expect(ran.prompts).toContain("this command ran with read-only access outside its scope");
      expect(ran.prompts).toContain("lockstep widen T-A PATH");
    });

    it("lets ordinary calls work", long, async () => {
      await using packages = await localRegistry();
      const rows = ordinaryCalls(packages.url);
      const ran = await talk(rows.map(({ command }) => command));
      const failed = rows.flatMap(({ command, says }, at) => {
        const said = ran.answers[at] ?? "the client ended before";
        return says.test(said) ? [] : [`${command}: ${said}`];
      });
      expect(failed).toEqual([]);
    });

    it("lets programs write in the lock and commit, and returns their output and exit code", async () => {
      const ran = await talk([
        "node src/a/tell.js",
        "node src/a/make.js && git add src/a && git commit -qm made",
      ]);
      expect(place.repository.git("log", "-1", "--format=%s"), ran.prompts).toBe("made");
      expect(place.repository.git("show", "HEAD:src/a/made.ts")).toBe("made");
      expect(ran.prompts).toContain("result 42");
      if (client !== "opencode") expect(ran.prompts).toMatch(/exit(?:ed with)? code:? 7/i);
    });

    it("lets git run its hooks, which can write only in the lock", async () => {
      place.repository.write(
        ".husky/pre-commit",
        "sh src/a/bad.sh || true; node src/a/make.js; git add src/a/made.ts\n",
      );
      place.repository.git("commit", "-qam", "hook", "--no-verify");
      const ran = await talk(["echo more >> src/a/x.ts && git add src/a/x.ts && git commit -m more"]);
      const { git } = place.repository;
      expect(git("log", "-1", "--format=%s"), ran.prompts).toBe("more");
      expect(git("show", "--name-only", "--format=", "HEAD").split("\n")).toEqual([
        "src/a/made.ts",
        "src/a/x.ts",
      ]);
      expect(changed()).toBe("");
    });

    // Copilot itself refuses commands that end a process by a variable.
    it.skipIf(client === "copilot")("lets a signal end a background process", async () => {
      const mark = `mark-${process.pid}`;
      const ran = await talk([
        `node src/a/wait.js ${mark} & first=$!; kill $first; wait $first; echo ended with $?`,
      ]);
      expect(ran.prompts).toMatch(/ended with (?:0|143)/);
      await gone(mark);
    });

    it.skipIf(calls.background === undefined)("serves later calls from the background", async () => {
      const background = calls.background?.("node src/a/serve.js background");
      const made = [...(background === undefined ? [] : [background]), calls.shell("node src/a/ask.js")];
      const ran = await place.converse(made, { env });
      expect(ran.prompts).toContain("served by background");
    });

    it.skipIf(offline)("lets a package manager fetch a package and find it in its cache again", async () => {
      const install = `npm install --registry ${registry} --no-save --no-package-lock is-number@7.0.0`;
      const { SSL_CERT_FILE: cafile } = process.env; // a machine may have its own authority
      const ran = await place.converse(
        [calls.shell(install), calls.shell(`${install} --offline --prefix src/a`)],
        { env: { ...env, ...(cafile === undefined ? {} : { npm_config_cafile: cafile }) } },
      );
      expect(has("node_modules/is-number/package.json"), ran.prompts.slice(-2000)).toBe(true);
      expect(has("src/a/node_modules/is-number/package.json"), ran.prompts.slice(-2000)).toBe(true);
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
      "leaves the last decision to its user: %s",
      async (_name, { runs, command = "node src/a/make.js", ...rule }) => {
        const before = () => {
          for (const [file, text] of Object.entries(rule.files ?? {}))
            if (file.startsWith("~/")) place.home.write(file.slice(2), text);
            else place.repository.write(file, text);
        };
        const ran = await place.converse([calls.shell(command)], { ...rule, env, before });
        expect(has("src/a/made.ts"), ran.prompts).toBe(runs);
      },
    );
  });
}

/** Waits until no process has these words in its command line. */
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
