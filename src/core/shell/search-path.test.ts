import { describe, expect, it } from "vitest";
import { analyzeCommand } from "./analyze.ts";

const venv = "/repo/.venv/bin";
const system = ["/usr/bin", "/bin"];

/** The opaque parts of a command, with these programs in the folders of PATH. */
function opaque(command: string, path: readonly string[], programs: readonly string[]): readonly string[] {
  const files = new Set([...programs, ...["ls", "cat", "git", "ssh"].map((name) => `/usr/bin/${name}`)]);
  const disk = {
    kindOf: (file: string) => (files.has(file) ? ("file" as const) : ("absent" as const)),
    realPath: (file: string) => file.replace(/^\/linked\//, "/repo/"),
  };
  const analysis = analyzeCommand(command, { cwd: "/repo/sub", root: "/repo", disk, path });
  return analysis.opaque.map(({ by }) => by);
}

describe("a program that is called by name", () => {
  it.each([
    ["ls", [venv, ...system], [`${venv}/ls`], [`${venv}/ls`]],
    ["cat x | git log", [venv, ...system], [`${venv}/git`], [`${venv}/git`]],
    ["timeout 5 ls", [venv, ...system], [`${venv}/ls`], [`${venv}/ls`]],
    ["ssh host", [venv, ...system], [`${venv}/ssh`], [`${venv}/ssh`, "ssh"]],
    ["ls", ["bin", ...system], ["/repo/sub/bin/ls"], ["/repo/sub/bin/ls"]],
    [
      "cd .. && ls",
      ["node_modules/.bin", ...system],
      ["/repo/node_modules/.bin/ls"],
      ["/repo/node_modules/.bin/ls"],
    ],
    ["ls", ["", ...system], ["/repo/sub/ls"], ["/repo/sub/ls"]],
    ["ls", ["/linked/bin", ...system], ["/linked/bin/ls"], ["/linked/bin/ls"]],
    ["ls", ["/tmp/x", ...system], ["/tmp/x/ls"], ["/tmp/x/ls"]],
    ["ls", [...system, venv], [`${venv}/ls`], []],
    ["ls", [venv, ...system], [`${venv}/cat`], []],
    ["ls", ["/repository/bin", ...system], ["/repository/bin/ls"], []],
    ["ls", system, [], []],
    ["echo x; kill 1234", [venv, ...system], [`${venv}/echo`, `${venv}/kill`], []],
    ["timeout 5 echo x", [venv, ...system], [`${venv}/echo`], [`${venv}/echo`]],
    ["timeout 5 kill 1234", [venv, ...system], [`${venv}/kill`], [`${venv}/kill`]],
    ["exec echo x", [venv, ...system], [`${venv}/echo`], [`${venv}/echo`]],
  ])("is opaque if it is a file of the project: %j with %j", (command, path, programs, expected) => {
    expect(opaque(command, path, programs)).toEqual(expected);
  });

  it.each([
    ["node x.js && ls", [venv, ...system], ["node", "PATH"]],
    ["ls && node x.js", [venv, ...system], ["node"]],
    ["node x.js && ls", [...system, venv], ["node"]],
    ["node x.js && /usr/bin/ls", [venv, ...system], ["node"]],
    ["node x.js && git status", [venv, ...system], ["node"]],
    ["node x.js & kill $!", [venv, ...system], ["node"]],
    ["node x.js && echo x", [venv, ...system], ["node"]],
    ["node x.js && /usr/bin/timeout 5 kill 1234", [venv, ...system], ["node", "PATH"]],
    ["node x.js && /usr/bin/timeout 5 echo x", [venv, ...system], ["node", "PATH"]],
  ])("is opaque if the command may have put a file there before: %j with %j", (command, path, expected) => {
    expect(opaque(command, path, [])).toEqual(expected);
  });

  it("has a fixed path if it is git, which must write its own folder", () => {
    const context = { cwd: "/repo", root: "/repo", path: [venv, ...system] };
    const disk = { kindOf: () => "absent" as const, realPath: (file: string) => file };
    const { hookRuns } = analyzeCommand("node x.js && git commit -m x", { ...context, disk });
    expect(hookRuns[0]).toEqual({ hooks: ["*"], at: 13 });
  });
});
