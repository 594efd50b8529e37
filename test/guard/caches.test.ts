import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cacheCases, type PersonsHome, personsHome, toolEnvironment } from "../support/cache-cases.ts";
import { agentEnvironment } from "../support/guarded-repository.ts";
import { cargo, go, npm, pip, uv, whyAbsent } from "../support/package-managers.ts";
import { missing } from "../support/sandboxed.ts";
import { replacedCommand, shellPayload } from "../support/sandboxed-call.ts";
import { skipLoudly } from "../support/skip-loudly.ts";

const present = [npm, pip, uv, cargo, go].filter((manager) => {
  const why = whyAbsent(manager, toolEnvironment(homedir()));
  return !skipLoudly(`THE TESTS OF ${manager.name} IN THE SANDBOX`, why, { isWanted: false });
});

if (missing === undefined) cacheCases(present);

/** The paths where tools look for settings and for programs. */
const planted = [
  "$CARGO_HOME/config.toml",
  "$CARGO_HOME/bin/rustc",
  "$GOPATH/bin/gofmt",
  "$GRADLE_USER_HOME/init.gradle",
  "$XDG_CACHE_HOME/pip.conf",
  "$HOME/.npmrc",
  "$HOME/.config/pip/pip.conf",
  "$HOME/.config/go/env",
];

const plant = planted.map((path) => `mkdir -p "$(dirname "${path}")"; echo planted > "${path}"`).join("\n");
const look = `cat ${planted.map((path) => `"${path}"`).join(" ")}`;

describe.skipIf(missing)("settings of tools that an agent writes", () => {
  let person: PersonsHome;
  let envs: Readonly<Record<"a" | "b", Readonly<Record<string, string>>>>;
  beforeEach(async () => {
    person = personsHome();
    const { repository } = person;
    for (const one of ["a", "b"]) {
      repository.write(`src/${one}/plant.sh`, `${plant}\n`);
      repository.write(`src/${one}/look.sh`, `${look}\n`);
    }
    repository.git("add", "-A");
    repository.git("commit", "-qm", "scripts");
    envs = {
      a: agentEnvironment(await repository.dispatch("T-A", ["src/a/**"])),
      b: agentEnvironment(await repository.dispatch("T-B", ["src/b/**"])),
    };
  });
  afterEach(() => person[Symbol.dispose]());

  const as = async (one: "a" | "b", command: string) => {
    const { repository } = person;
    const given = await replacedCommand(repository, command, envs[one]);
    expect(given).toContain("/lockstep exec ");
    return person.run(given, repository.path);
  };
  const session = async (session_id: string, command: string) => {
    const { repository } = person;
    const { stdout } = await repository.guard(shellPayload(repository.path, command, { session_id }));
    return person.run(JSON.parse(stdout).hookSpecificOutput.updatedInput.command, repository.path);
  };

  it("are not visible to the agent of another task", async () => {
    await as("a", "sh src/a/plant.sh");
    expect((await as("a", "sh src/a/look.sh")).stdout).toBe("planted\n".repeat(5));
    expect((await as("b", "sh src/b/look.sh")).stdout).toBe("");
    expect((await session("s1", "sh src/b/look.sh")).stdout).toBe("");
  });

  it("are not visible to another agent without a task, nor left in the home", async () => {
    await session("s1", "sh src/a/plant.sh");
    expect((await session("s1", "sh src/a/look.sh")).stdout).toBe("planted\n".repeat(5));
    expect((await session("s2", "sh src/a/look.sh")).stdout).toBe("");
    expect(readdirSync(person.path).sort()).toEqual([".cache", ".local"]);
  });

  it.skipIf(!present.includes(cargo))(
    "are not used by another agent's cargo, nor by the person's",
    async () => {
      const { repository } = person;
      for (const folder of ["src/a", "src/b"]) {
        repository.write(`${folder}/Cargo.toml`, '[package]\nname = "p"\nversion = "1.0.0"\n[workspace]\n');
        repository.write(`${folder}/src/lib.rs`, "");
      }
      repository.write(".gitignore", "target\n");
      repository.write("src/a/break.sh", 'echo "not a setting" > "$CARGO_HOME/config.toml"\n');
      repository.git("add", "-A");
      repository.git("commit", "-qm", "crates");
      await as("a", "sh src/a/break.sh");
      const check = (folder: string) => `cd ${folder} && cargo check --offline`;
      expect((await as("a", check("src/a"))).stderr).toContain("config.toml");
      const other = await as("b", check("src/b"));
      expect(other.status, other.stderr).toBe(0);
      const own = await person.run("cargo check --offline", join(repository.path, "src/b"));
      expect(own.status, own.stderr).toBe(0);
    },
  );

  it("cannot redirect the files that Lockstep puts beside them: those stay in the agent's folder", async () => {
    const { repository } = person;
    person.write(".cargo/registry/x", "");
    const docs = join(repository.path, "docs");
    repository.write(
      "src/a/lead.sh",
      `rm -rf "$CARGO_HOME" "$XDG_CACHE_HOME"; ln -s ${docs} "$CARGO_HOME"; ln -s ${docs} "$XDG_CACHE_HOME"\n`,
    );
    await as("a", "sh src/a/lead.sh");
    person.write(".cargo/config.toml", "");
    person.write(".cache/pip/x", "");
    const { stdout } = await as("a", "node -p process.env.CARGO_HOME");
    expect(existsSync(join(stdout.trim(), "config.toml"))).toBe(true);
    expect(readdirSync(docs)).toEqual(["guide.md"]);
  });

  it("do not weaken the sandbox: a link in the place of a cache is not followed", async () => {
    const { repository } = person;
    person.write(".ssh/id", "secret\n");
    person.write(".cache/node/corepack/x", "");
    person.write(".npm/x", "");
    const caches = [".cache/node/corepack", ".cache/node", ".npm"].map((path) => join(person.path, path));
    const ssh = join(person.path, ".ssh");
    repository.write(
      "src/a/link.sh",
      caches.map((path) => `rm -rf ${path}; mv ${path} ${path}2; ln -s ${ssh} ${path}\n`).join(""),
    );
    await as("a", "sh src/a/link.sh");
    const { stdout, status } = await as("a", `node -e 'require("fs").readdirSync("${ssh}")'`);
    expect({ stdout, status }).toEqual({ stdout: "", status: 1 });
  });
});
