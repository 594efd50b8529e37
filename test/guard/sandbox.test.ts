import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  agentEnvironment,
  type GuardedRepository,
  guardedRepository,
} from "../support/guarded-repository.ts";
import { isHeld } from "../support/held-file.ts";
import { eventually } from "../support/run-command.ts";
import { command } from "../support/run-hook.ts";
import { missing } from "../support/sandboxed.ts";
import { replacedCommand, shellPayload } from "../support/sandboxed-call.ts";

let repository: GuardedRepository;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  repository = guardedRepository();
  repository.write(".gitignore", "node_modules\ndist\n*.log\n");
  repository.write(
    "packages/p/package.json",
    '{"scripts":{"build":"mkdir dist && echo built > dist/p.js"}}\n',
  );
  repository.write("packages/p/p.js", "1\n");
  repository.git("add", "-A");
  repository.git("commit", "-qm", "outputs");
  env = agentEnvironment(await repository.dispatch("T-A", ["src/a/**"]));
});
afterEach(() => repository[Symbol.dispose]());

const payload = (command: string, more?: object) => shellPayload(repository.path, command, more);
const replaced = (command: string) => replacedCommand(repository, command, env);

/** Runs a call that the guard has seen, as a client's shell does. */
async function ran(command: string, { cwd = repository.path, input = "" } = {}) {
  const words = ["-c", await replaced(command)];
  const { status, stdout, stderr } = spawnSync("bash", words, { cwd, input, encoding: "utf8" });
  return { status, stdout, stderr };
}

const changed = () => repository.git("status", "--porcelain", "--untracked-files=all");

describe.skipIf(missing)("a program with unknown writes", () => {
  it.each([
    ["an interpreter", `python3 -c 'open("docs/guide.md", "w")'`],
    ["another one", `node -e 'require("fs").writeFileSync("docs/guide.md", "")'`],
    ["a script in the lock", "sh src/a/bad.sh"],
    ["a script behind a link", "sh src/a/link.sh"],
    ["a script of the package", "npm run bad"],
    ["a recipe", "make bad"],
    ["a shell that is given a script", "bash -- src/a/bad.sh"],
    ["a sourced file", ". src/a/bad.sh"],
    ["one of several commands", "for i in 1 2; do sh src/a/bad.sh; done | cat"],
    ["one in the background", "sh src/a/bad.sh & wait"],
    ["one in a substitution", 'echo "$(sh src/a/bad.sh)"'],
    ["a merge", "git merge other"],
    ["a pick", "git cherry-pick other"],
    ["a patch", "git diff main other | git apply"],
    ["a daemon that outlives its call", "sh src/a/later.sh"],
    ["a link that leads out", `python3 -c 'open("src/a/lf", "w")'`],
    ["a script that renames and replaces", "sh src/a/worse.sh"],
  ])("changes nothing outside the lock: %s", async (_name, command) => {
    const bad = "echo bad > docs/guide.md; rm -f README.md; echo bad > src/b/x.ts\n";
    repository.write("src/a/bad.sh", bad);
    repository.write(
      "src/a/worse.sh",
      "mv docs docs2; mv src src2; mv src/b src/c; echo x > .git/config; echo x > .git/hooks/pre-commit; echo {} > .claude/settings.json; ln -sf a docs/guide.md\n",
    );
    execFileSync("ln", ["-s", "bad.sh", join(repository.path, "src/a/link.sh")]);
    repository.write("src/a/later.sh", `(setsid flock src/a/held.log sh -c 'sleep 0.3; ${bad.trim()}' &)\n`);
    repository.write("package.json", JSON.stringify({ scripts: { bad: "sh src/a/bad.sh" } }));
    repository.write("Makefile", "bad:\n\tsh src/a/bad.sh\n");
    repository.write(".claude/settings.json", '{"old":true}\n');
    repository.git("add", "-A");
    repository.git("commit", "-qm", "bad");
    repository.git("checkout", "-q", "-b", "other");
    repository.write("docs/guide.md", "other\n");
    repository.git("commit", "-qam", "other");
    repository.git("checkout", "-q", "main");
    const config = readFileSync(join(repository.path, ".git/config"), "utf8");
    const head = repository.git("rev-parse", "HEAD");
    await ran(command);
    execFileSync("flock", [join(repository.path, "src/a/held.log"), "true"]); // if no daemon has it any more
    expect(changed()).toBe("");
    expect(repository.git("rev-parse", "HEAD")).toBe(head);
    expect(readFileSync(join(repository.path, ".git/config"), "utf8")).toBe(config);
    expect(existsSync(join(repository.path, ".git/hooks/pre-commit"))).toBe(false);
  });

  it("may write its lock, ignored output, new output of a package, and temporary files", async () => {
    const temporary = `/tmp/lockstep-guard-sandbox-${process.pid}`;
    const script = `
      echo x > src/a/new.ts; mkdir src/a/deep; echo y > src/a/deep/z.ts; rm src/a/ok.ts
      mkdir -p node_modules/x; echo x > node_modules/x/y; echo x > out.log; (cd packages/p; npm run -s build)
      echo x > ${temporary}; ls ${temporary}`;
    repository.write("src/a/good.sh", script);
    const { status, stderr, stdout } = await ran("sh src/a/good.sh");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe(`${temporary}\n`);
    expect(existsSync(temporary)).toBe(true);
    rmSync(temporary);
    for (const file of [
      "src/a/new.ts",
      "src/a/deep/z.ts",
      "node_modules/x/y",
      "packages/p/dist/p.js",
      "out.log",
    ])
      expect(existsSync(join(repository.path, file)), file).toBe(true);
    expect(existsSync(join(repository.path, "src/a/ok.ts"))).toBe(false);
  });

  it("has the input, output, exit code, variables and folder of its command", async () => {
    const code = 'process.stdin.pipe(process.stdout); process.on("exit", () => { process.exitCode = 7; })';
    expect(await ran(`node -e '${code}'`, { input: "hello\n" })).toMatchObject({
      status: 7,
      stdout: "hello\n",
    });
    expect(await ran("X=1 node -p process.env.X")).toMatchObject({ status: 0, stdout: "1\n" });
    expect(await ran("cd src && node -p 'process.cwd()'")).toMatchObject({
      stdout: `${repository.path}/src\n`,
    });
    expect(await ran("node -e 'process.kill(process.pid)'")).toMatchObject({ status: 143 });
    expect(await ran("node -e 'console.error(1)' 2>&1 >/dev/null | cat")).toMatchObject({ stdout: "1\n" });
    expect(await ran("no-such-program-of-anybody")).toMatchObject({
      status: 127,
      stderr: expect.stringContaining("functions and aliases of your shell cannot run in the sandbox"),
    });
  });

  it("has a folder for temporary files, whatever the person's TMPDIR", async () => {
    repository.write("src/a/scratch.sh", 'file=$(mktemp) && echo x > "$file" && rm "$file"\n');
    for (const folder of ["/dev/shm/none", join(homedir(), "none")])
      expect(await ran(`TMPDIR=${folder} sh src/a/scratch.sh`)).toMatchObject({ stderr: "", status: 0 });
    expect(await ran("TMPDIR=/var/tmp node -p process.env.TMPDIR")).toMatchObject({ stdout: "/var/tmp\n" });
  });

  it("may write caches of package managers in the home, and nothing else there", async () => {
    repository.write(
      "src/a/home.sh",
      `
      npm_config_update_notifier=false npm cache verify >/dev/null && echo cached
      mkdir -p "$XDG_CACHE_HOME/tool" && echo own
      echo x > ~/.cache/planted || echo >> ~/.profile || echo >> ~/.claude.json || echo closed\n`,
    );
    const { stdout } = await ran("sh src/a/home.sh");
    expect(stdout).toBe("cached\nown\nclosed\n");
  });

  it("may not write settings that git ignores because they are secret", async () => {
    repository.write(".gitignore", ".env*\nnode_modules\n");
    repository.write(".env.local", "KEY=1\n");
    repository.write("src/a/env.sh", "echo KEY=2 > .env.local\n");
    repository.git("add", "-A");
    repository.git("commit", "-qm", "env");
    await ran("sh src/a/env.sh");
    expect(readFileSync(join(repository.path, ".env.local"), "utf8")).toBe("KEY=1\n");
  });

  it("leaves known commands around it in the client's own shell", async () => {
    const { status } = await ran(
      "node -e 1 && echo more >> src/a/x.ts && git add src/a && git commit -qm more",
    );
    expect(status).toBe(0);
    expect(repository.git("log", "-1", "--format=%s")).toBe("more");
  });

  it("reaches neither Lockstep's ledger nor its processes", async () => {
    repository.write(
      "src/a/escape.sh",
      // The parent is the first process in the sandbox: all others end with it.
      "rm -rf .git/lockstep/active; ls .git/lockstep | wc -l; ps ax | grep -c vitest; kill -9 $PPID\n",
    );
    const { stdout } = await ran("sh src/a/escape.sh");
    expect(stdout).toMatch(/^0\s+1\s*$/);
    expect(existsSync(join(repository.path, ".git/lockstep/state.db"))).toBe(true);
  });

  it("gets an error from Lockstep's commands inside", async () => {
    repository.write("src/a/widen.sh", `'${process.execPath}' '${command}' widen T-A . --why x\n`);
    const { status, stdout, stderr } = await ran("sh src/a/widen.sh");
    expect({ status, stdout }).toMatchObject({ status: 2 });
    expect(stderr).toMatch(/R-AU-001: .*run it directly as a shell command/);
  });

  it("is replaced by a form that each client understands", async () => {
    const answer = async (client: string, document: object) =>
      JSON.parse((await repository.guard(document, { env, client })).stdout);
    const input = { command: "node -e 1", description: "d" };
    const common = { session_id: "s1", cwd: repository.path, tool_input: input };
    const wrapped = expect.stringMatching(
      /^false && node -e 1; \S+\/lockstep exec [0-9a-f]{8} \$\$ node -e 1$/,
    );
    const updatedInput = { command: wrapped, description: "d" };
    const claude = { ...common, hook_event_name: "PreToolUse", tool_name: "Bash", tool_use_id: "u" };
    const form = { hookEventName: "PreToolUse", updatedInput };
    const bypassing = { ...claude, permission_mode: "bypassPermissions" };
    expect(await answer("claude", bypassing)).toEqual({ hookSpecificOutput: form });
    const inQuotes = expect.stringMatching(
      /^false && node -e 1; eval '\S+\/lockstep exec [0-9a-f]{8} \$\$ node -e 1'$/,
    );
    expect(await answer("codex", bypassing)).toEqual({
      hookSpecificOutput: {
        ...{ ...form, updatedInput: { ...updatedInput, command: inQuotes } },
        permissionDecision: "allow",
      },
    });
    const gemini = { ...common, hook_event_name: "BeforeTool", tool_name: "run_shell_command" };
    expect(await answer("gemini", gemini)).toEqual({
      decision: "allow",
      hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: updatedInput },
    });
    const copilot = { sessionId: "s1", cwd: repository.path, toolName: "bash", toolArgs: input };
    expect(await answer("copilot", copilot)).toEqual({ modifiedArgs: updatedInput });
    const opencode = { input: { tool: "bash", sessionID: "s1", callID: "c" }, output: { args: input } };
    expect(
      await answer("opencode", { event: "tool.execute.before", directory: repository.path, ...opencode }),
    ).toEqual({
      allow: true,
      reason: "",
      command: wrapped,
    });
    const cursor = { ...common, hook_event_name: "preToolUse", tool_name: "Shell" };
    expect(await answer("cursor", cursor)).toEqual({ updated_input: updatedInput });
  });

  it("is allowed in Claude if the user's rules allow the original command", async () => {
    const decision = async (command: string, permission_mode: string) => {
      const { stdout } = await repository.guard(payload(command, { permission_mode }), { env });
      return JSON.parse(stdout).hookSpecificOutput.permissionDecision;
    };
    expect(await decision("npm test", "default")).toBe(undefined);
    repository.write(".claude/settings.json", '{"permissions":{"allow":["Bash(npm test:*)", "Bash(make)"]}}');
    expect(await decision("npm test", "default")).toBe("allow");
    expect(await decision("npm test", "plan")).toBe(undefined);
    expect(await decision("npm test; make", "default")).toBe(undefined);
    expect(await decision("make", "default")).toBe("allow");
    repository.write(".claude/settings.local.json", '{"permissions":{"ask":["Bash(make:*)"]}}');
    expect(await decision("make", "default")).toBe(undefined);
    repository.write(".claude/settings.local.json", "{");
    expect(await decision("npm test", "default")).toBe(undefined);
  });

  it("runs unchanged if codex has a sandbox of its own around it", async () => {
    const call = { ...payload("node -e 1"), permission_mode: "default" };
    expect(await repository.guard(call, { env, client: "codex" })).toMatchObject({ exit: 0, stdout: "" });
  });

  it("is not wrapped twice by two hooks of one client, and a forged wrapper is wrapped again", async () => {
    const command = await replaced("node -e 1");
    expect(await repository.guard(payload(command), { env })).toMatchObject({ exit: 0, stdout: "" });
    const other = await repository.guard(payload(command, { session_id: "s2" }), { env });
    expect(JSON.parse(other.stdout).hookSpecificOutput.updatedInput.command).not.toBe(command);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    const later = await repository.guard(payload(command), { env });
    vi.useRealTimers();
    expect(later.stdout).not.toBe("");
  });

  it("leaves no new file outside the lock", async () => {
    repository.write(
      "src/a/new.sh",
      "echo x > stray.txt; echo x > packages/p/stray.js; ln -s /etc l; echo x > src/a/own.ts\n",
    );
    repository.git("add", "-A");
    repository.git("commit", "-qm", "new");
    await ran("sh src/a/new.sh");
    const after = payload("sh src/a/new.sh", {
      hook_event_name: "PostToolUse",
      tool_response: { stdout: "" },
    });
    const { stderr } = await repository.guard(after, { env });
    for (const path of ["stray.txt", "packages/p/stray.js", "l"]) expect(stderr).toContain(`\`${path}\``);
    expect(stderr).toContain("put back");
    expect(changed()).toBe("?? src/a/own.ts");
  });

  it.each([
    [
      "ignored by itself",
      "mkdir .lockstep; echo '*' > .lockstep/.gitignore; echo 'guard: { opaque: verify }' > .lockstep/config.yaml",
    ],
    ["another client's, ignored", "mkdir .codex; echo '*' > .codex/.gitignore; echo x > .codex/config.toml"],
    ["too large to be kept", "head -c 60000000 /dev/zero > .mcp.json"],
    ["a repository of its own", "git init -q .codex"],
  ])("leaves no new settings that clients or Lockstep read: %s", async (_name, script) => {
    repository.write("src/a/settings.sh", `${script}\n`);
    repository.git("add", "-A");
    repository.git("commit", "-qm", "settings");
    await ran("sh src/a/settings.sh");
    await repository.guard(
      payload("sh src/a/settings.sh", { hook_event_name: "PostToolUse", tool_response: {} }),
      { env },
    );
    for (const path of [".lockstep/config.yaml", ".codex/config.toml", ".codex/.git", ".mcp.json"])
      expect(existsSync(join(repository.path, path)), path).toBe(false);
  });

  it("ends with the shell that started it, however it was started", async () => {
    repository.write(
      "src/a/late.sh",
      "echo up >> src/a/begun; exec flock --shared src/a/held.log sleep 60\n",
    );
    repository.write("src/a/alone.sh", "trap '' TERM HUP INT; kill -9 -1; . src/a/late.sh\n");
    const begun = join(repository.path, "src/a/begun");
    let count = 0;
    for (const command of [
      "sh src/a/late.sh &",
      "(sh src/a/late.sh &)",
      "(setsid sh src/a/late.sh >/dev/null 2>&1 &)",
      "nohup sh src/a/late.sh >/dev/null 2>&1 &",
      "{ sh src/a/alone.sh; true; } >/dev/null 2>&1 &",
    ]) {
      count += 1;
      const isUp = `until [ "$(grep -c up src/a/begun 2>/dev/null)" = ${count} ]; do sleep 0.02; done`;
      await ran(`${command}${command.endsWith(")") ? ";" : ""} ${isUp}`);
      expect(readFileSync(begun, "utf8")).toBe("up\n".repeat(count));
      await eventually(
        `the end of \`${command}\``,
        () => !isHeld(join(repository.path, "src/a/held.log")) || undefined,
      );
    }
  });

  it("may run git in another repository, whose settings may run programs", async () => {
    repository.write(
      "src/a/plant.sh",
      'git init -q src/a/n; git -C src/a/n config core.fsmonitor "$PWD/src/a/evil.sh"\n',
    );
    repository.write("src/a/evil.sh", `#!/bin/sh\necho bad > "${repository.path}/docs/guide.md"\n`);
    execFileSync("chmod", ["+x", join(repository.path, "src/a/evil.sh")]);
    repository.git("add", "-A");
    repository.git("commit", "-qm", "plant");
    await ran("sh src/a/plant.sh");
    for (const command of ["git -C src/a/n status", "cd src/a/n && git status", "cd src/a/n; git diff"])
      await ran(command);
    expect(readFileSync(join(repository.path, "docs/guide.md"), "utf8")).toBe("x\n");
  });

  it.each([
    ["is changed", "echo 'gitdir: ../own/.git' > src/a/lib/.git"],
    ["is replaced", "rm src/a/lib/.git && git init -q src/a/lib"],
    ["leads nowhere", "rm src/a/lib/.git; echo 'gitdir: /nowhere' > src/a/lib/.git"],
    ["is moved away with its folder", "mv src/a/lib src/a/old; mkdir src/a/lib; git init -q src/a/lib"],
  ])(
    "does not make Lockstep's own git run a program if the git folder of a submodule %s",
    async (_name, script) => {
      const from = `${repository.path}-lib`;
      repository.git("init", "-q", from);
      repository.git("-C", from, "commit", "-q", "--allow-empty", "-m", "lib");
      try {
        repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "src/a/lib");
      } finally {
        rmSync(from, { recursive: true });
      }
      const planted = join(repository.path, "planted.log");
      repository.write("src/a/evil.sh", `#!/bin/sh\n[ -n "$LOCKSTEP_INSIDE" ] || touch ${planted}; cat\n`);
      execFileSync("chmod", ["+x", join(repository.path, "src/a/evil.sh")]);
      repository.write(
        "src/a/plant.sh",
        `git init -q src/a/own; ${script}
      cd src/a/lib; git config filter.x.clean ${repository.path}/src/a/evil.sh; echo '* filter=x' > .gitattributes
      echo 1 > f; git add f; git -c user.name=x -c user.email=x@x commit -qm x; echo 2 > f\n`,
      );
      repository.git("add", "-A");
      repository.git("commit", "-qm", "lib");
      const dotGit = readFileSync(join(repository.path, "src/a/lib/.git"), "utf8");
      await ran("sh src/a/plant.sh");
      if (!script.startsWith("mv"))
        expect(readFileSync(join(repository.path, "src/a/lib/.git"), "utf8")).toBe(dotGit);
      const after = { hook_event_name: "PostToolUse", tool_response: {} };
      await repository.guard(payload("sh src/a/plant.sh", after), { env });
      expect(await ran("node -p 1")).toMatchObject({ status: 0, stdout: "1\n" });
      expect(existsSync(planted)).toBe(false);
    },
  );

  it("leaves no changed link outside the lock", async () => {
    execFileSync("ln", ["-s", "README.md", join(repository.path, "CLAUDE.md")]);
    repository.write("src/a/link.sh", "rm CLAUDE.md; echo own > CLAUDE.md; rm -f out\n");
    repository.git("add", "-A");
    repository.git("commit", "-qm", "link");
    await ran("sh src/a/link.sh");
    await repository.guard(
      payload("sh src/a/link.sh", { hook_event_name: "PostToolUse", tool_response: {} }),
      { env },
    );
    expect(changed()).toBe("");
  });

  it("starts even if a file was deleted after the call was judged", async () => {
    repository.write(".README.md.swp", "an editor's");
    const command = await replaced("node -e 1");
    rmSync(join(repository.path, ".README.md.swp"));
    const { status, stderr } = spawnSync("bash", ["-c", command], { cwd: repository.path, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it("gets an explanation after a failed write", async () => {
    const after = {
      ...payload("node x.js", { hook_event_name: "PostToolUse" }),
      tool_response: {
        stdout: "passed\n".repeat(10_000),
        stderr: "Error: EROFS: read-only file system, open 'docs/x'",
      },
    };
    const { exit, stdout } = await repository.guard(after, { env });
    expect(exit).toBe(0);
    expect(JSON.parse(stdout).hookSpecificOutput.additionalContext).toContain("lockstep widen T-A PATH");
  });

  it.each([
    "error: cannot open '.git/FETCH_HEAD': Read-only file system",
    "fatal: Unable to create '/r/.git/index.lock': Read-only file system",
    "fatal: Unable to create '/r/.git/worktrees/w/ORIG_HEAD.lock': Read-only file system",
  ])("gets the message that no wider lock includes git's folder: %s", async (stderr) => {
    const after = {
      ...payload("git merge other", { hook_event_name: "PostToolUse" }),
      tool_response: { stdout: "", stderr },
    };
    const { stdout } = await repository.guard(after, { env });
    const { additionalContext } = JSON.parse(stdout).hookSpecificOutput;
    expect(additionalContext).toContain("`git restore --source=REF -- PATH`");
    expect(additionalContext).not.toContain("widen");
  });

  it("runs outside if the sandbox cannot contain it, and is compared afterwards", async () => {
    expect(await replaced("ssh host make")).toBe("ssh host make");
    expect(await replaced("docker run --rm x")).toBe("docker run --rm x");
    expect(await replaced('eval "$(ssh-agent -s)"')).toBe('eval "$(ssh-agent -s)"');
  });

  it("of a caller without a task writes nothing in the project", async () => {
    const { stdout } = await repository.guard(payload("sh gen.sh"));
    const { command } = JSON.parse(stdout).hookSpecificOutput.updatedInput;
    repository.write("gen.sh", "echo x > src/a/ok.ts\n");
    repository.git("commit", "-qam", "gen");
    const { status } = spawnSync("bash", ["-c", command], { cwd: repository.path });
    expect(status).not.toBe(0);
    expect(changed()).toBe("");
  });
});

describe("`guard.opaque: verify`", () => {
  it("runs it unchanged", async () => {
    repository.write(".lockstep/config.yaml", "guard: { opaque: verify }\n");
    expect(await replaced("node -e 1")).toBe("node -e 1");
  });
});
