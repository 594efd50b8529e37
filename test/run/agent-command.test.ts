import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { searchedFirst } from "../../src/workspace/process/agent-command.ts";
import { landRepository } from "../support/land-repository.ts";
import { planText, readRun, task } from "../support/planned-repository.ts";
import { missing } from "../support/sandboxed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const { version } = manifest;
const reviewer = `const { execSync } = require("node:child_process");
const said = execSync("lockstep --version").toString().trim();
console.log(JSON.stringify({ status: "OK", summary: "it is " + said, artifacts: { findings: [] },
  gates: { meets_definition_of_done: true }, next: { recommended_agent: "Orchestrator", recommended_task_id: "same" } }));
`;

it("is found although the agent is given no search path", () => {
  expect(searchedFirst("/b", undefined)).toBe("/b:/usr/local/bin:/usr/bin:/bin");
  expect(searchedFirst("/b", ".::/usr/bin")).toBe("/b:.::/usr/bin");
});

const loginShells = ["bash", "dash", "zsh"].filter(
  (shell) => spawnSync(shell, ["-c", ":"]).error === undefined,
);

describe.skipIf(missing !== undefined)("a login shell of an agent inside the sandbox", () => {
  it.each(loginShells)(
    "finds the command and every other program that the agent finds: %s",
    async (shell) => {
      // What Debian's /etc/profile sets has neither of the two programs.
      const script = `${shell} -lc 'lockstep --version && own-tool' > A.txt; echo "$PATH" > path; ${shell} -lc 'echo "$PATH"' | cmp - path && rm path`;
      using tools = temporaryFolder({ "own-tool": "#!/bin/sh\necho own\n" });
      chmodSync(join(tools.path, "own-tool"), 0o755);
      using repository = landRepository({
        ".gitignore": "state\n.agents-work\n",
        ".lockstep/config.yaml": `agents:\n  coder: { adapter: command, run: ["sh", "-c", ${JSON.stringify(script)}] }\nsandbox: required\n`,
        "tasks.yaml": planText([task("A", "coder")]),
      });
      const PATH = [tools.path, process.env.PATH].join(":");
      const { stdout, stderr } = await repository.run(["run", "--json"], { env: { PATH } });
      expect(readRun(stdout).states, stderr).toEqual({ A: "MERGED" });
      expect(repository.git("show", "main:A.txt")).toBe(`${version}\nown`);
    },
  );
});

describe.each([
  ["inside the sandbox", "required"],
  ["outside", "off"],
])("%s, an agent", (_, sandbox) => {
  it.skipIf(sandbox === "required" && missing !== undefined)(
    "finds this installation as `lockstep`, run by this Node, whatever else is on its PATH",
    async () => {
      const script =
        'lockstep --version > A.txt && lockstep widen A B.txt --why "it belongs there" && echo b > B.txt';
      using repository = landRepository({
        ".gitignore": "state\n.agents-work\n",
        // Decoys: neither this command nor this Node.
        lockstep: "#!/bin/sh\necho of the project\n",
        "node_modules/.bin/lockstep": "#!/bin/sh\necho of a package\n",
        "fake/node": "#!/bin/sh\necho another Node; exit 9\n",
        "package.json": "{}\n",
        "reviewer.cjs": reviewer,
        ".lockstep/config.yaml": [
          "agents:",
          `  coder: { adapter: command, run: ["sh", "-c", ${JSON.stringify(script)}] }`,
          `  looks: { adapter: command, role: Reviewer, run: [${JSON.stringify(process.execPath)}, reviewer.cjs] }`,
          "task_types: { seen: { agents: { implementer: [coder], gatekeeper: [looks] }, hooks: { before_merge: [{ gatekeeper: [qa] }] } } }",
          `limits: { widen: auto }\nchecks: { default: ["test -e f.js"] }\nsandbox: ${sandbox}\n`,
        ].join("\n"),
        "tasks.yaml": planText([task("A", "coder", ", type: seen")]),
      });
      for (const file of ["lockstep", "node_modules/.bin/lockstep", "fake/node"])
        chmodSync(join(repository.path, file), 0o755);
      repository.git("commit", "-qam", "executable");
      const PATH = [".", "", "node_modules/.bin", join(repository.path, "fake"), process.env.PATH].join(":");
      const { stdout, stderr } = await repository.run(["run", "--json"], { env: { PATH } });
      expect(readRun(stdout).states, stderr).toEqual({ A: "MERGED" });
      expect(repository.git("show", "main:A.txt")).toBe(version);
      expect(repository.git("show", "main:B.txt")).toBe("b");
      expect(stderr).toContain(`it is ${version}`);
    },
  );

  it.skipIf(sandbox === "required" && missing !== undefined)(
    "that asks for the status sees its own task in progress in the active run",
    async () => {
      using repository = landRepository({
        ".gitignore": "state\n.agents-work\n",
        ".lockstep/config.yaml": `agents:\n  coder: { adapter: command, run: ["sh", "-c", "lockstep status > A.txt"] }\nsandbox: ${sandbox}\n`,
        "tasks.yaml": planText([task("A", "coder")]),
      });
      const { stdout, stderr } = await repository.run(["run", "--json"]);
      expect(readRun(stdout).states, stderr).toEqual({ A: "MERGED" });
      const status = repository.git("show", "main:A.txt");
      expect(status).toMatch(/^A .*IN_PROGRESS/m);
      expect(status).not.toMatch(/no run is active|isolation:/);
    },
  );
});
