import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { lockstepProgram } from "../../src/cli/commands/lockstep-program.ts";
import { LockstepCommand } from "../../src/cli/help/lockstep-command.ts";
import { topics, topicText } from "../../src/cli/help/topics.ts";
import { planSchema } from "../../src/contract/plan.ts";
import { temporaryRepository } from "../support/run-command.ts";

/** Every command that `--help` lists, at any depth. */
function listed(command: Command): readonly LockstepCommand[] {
  const isImplicit = (one: Command) => one.name() === "help" && command.parent !== null;
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => !isImplicit(one))
    .flatMap((one) => [one as LockstepCommand, ...listed(one)]);
}

const program = lockstepProgram();
const commands = listed(program);
const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;

describe("every command", () => {
  it("is covered by these tests", () => {
    expect(commands.length).toBeGreaterThan(55);
    expect(commands.every((one) => one instanceof LockstepCommand)).toBe(true);
  });

  it("has a description that fits on one line of the list", () => {
    const short = commands.map((one) => [nameOf(one), one.summary() || one.description()] as const);
    // The names take 17 of 80 columns.
    expect(short.filter(([, text]) => text === "" || text.length > 63)).toEqual([]);
  });

  it("explains every option", () => {
    const silent = commands.flatMap((one) =>
      one.options.filter(({ description }) => !description).map(({ flags }) => `${nameOf(one)} ${flags}`),
    );
    expect(silent).toEqual([]);
  });

  it("has at least two examples of its own, with options that it takes", () => {
    for (const command of commands) {
      const { examples } = command;
      expect(examples.length, nameOf(command)).toBeGreaterThan(1);
      expect(new Set(examples.map(({ line }) => line)).size).toBe(examples.length);
      for (const { line, does } of examples) {
        const own = new RegExp(`(?:^|\\(|\\| )${nameOf(command)}(?= |$|\\))`).exec(line);
        expect(own, line).not.toBeNull();
        expect(does, line).not.toBe("");
        const rest = line
          .slice((own?.index ?? 0) + (own?.[0].length ?? 0))
          .replaceAll(/'[^']*'|"[^"]*"/g, "QUOTED")
          .replace(/ (?:--|\||<) .*$/, "");
        const called = [...rest.matchAll(/(?<= )(--?[a-z][a-z-]*)(?= |$|\))/g)].map(([, option]) => option);
        const inner = command.commands.filter((one) => rest.startsWith(` ${one.name()}`));
        const known = [command, ...inner].flatMap(({ options }) =>
          options.flatMap(({ long, short }) => [long, short]),
        );
        expect(
          called.filter((option) => !known.includes(option)),
          line,
        ).toEqual([]);
      }
    }
  });

  it("shows its examples in its own help", async () => {
    using repository = temporaryRepository();
    for (const words of [["land"], ["task", "add"], ["audit"]]) {
      const { status, stdout } = await repository.run([...words, "--help"]);
      expect(status).toBe(0);
      const command = commands.find((one) => nameOf(one) === `lockstep ${words.join(" ")}`);
      for (const { line, does } of command?.examples ?? [])
        expect(stdout).toContain(`  # ${does}\n  ${line}\n`);
      expect(stdout).toContain("\nExamples:\n");
    }
  });
});

describe("lockstep --help", () => {
  it("starts with the everyday commands, and lists those for other programs at the end", async () => {
    using repository = temporaryRepository();
    const { stdout } = await repository.run(["--help"]);
    const headings = [...stdout.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([
      ...["Options", "Everyday", "Look into a task", "Guard interactive sessions"],
      ...["Several machines", "Maintenance", "For other programs", "Topics (lockstep help TOPIC)"],
    ]);
    const everyday = /^Everyday:\n([\s\S]*?)\n\n/m.exec(stdout)?.[1] ?? "";
    expect([...everyday.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name)).toEqual([
      ...["run", "do", "land", "status", "decide", "board", "start", "resume", "doctor", "demo"],
    ]);
    expect(stdout).not.toContain("__complete");
  });

  it.each(["-v", "-V", "--version"])("%s prints the version", async (option) => {
    using repository = temporaryRepository();
    const { status, stdout } = await repository.run([option]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });
});

describe("lockstep help", () => {
  it("alone lists commands and topics", async () => {
    using repository = temporaryRepository();
    const [alone, option] = [await repository.run(["help"]), await repository.run(["--help"])];
    expect(alone).toEqual(option);
    for (const topic of Object.keys(topics))
      expect(alone.stdout).toMatch(new RegExp(`^  ${topic} +\\S`, "m"));
  });

  it.each([["land"], ["task", "add"]])("%s %s shows the help of a command", async (...words) => {
    using repository = temporaryRepository();
    const { status, stdout } = await repository.run(["help", ...words]);
    expect(status).toBe(0);
    expect(stdout).toBe((await repository.run([...words, "--help"])).stdout);
  });

  it.each(Object.keys(topics) as (keyof typeof topics)[])("%s shows the topic's page", async (topic) => {
    using repository = temporaryRepository();
    const { status, stdout, stderr } = await repository.run(["help", topic]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const flat = (text: string) => text.replaceAll(/[^\w.]+/g, " ").trim();
    const page = topicText(topic).replaceAll(/^```\w*$|\]\([^)]*\)/gm, "");
    expect(flat(stdout)).toBe(flat(page));
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).not.toMatch(/\]\(|```/);
  });

  it.each([
    [["scope"], "there is no command or topic `scope`: did you mean `scopes`?"],
    [["lnad"], "there is no command or topic `lnad`: did you mean `land`?"],
    [["xyzzy"], "there is no command or topic `xyzzy`: see `lockstep help`"],
    [["task", "ad"], "`task` has no subcommand `ad`: did you mean `add`?"],
    [["do", "status"], "`do` has no subcommand `status`: see `lockstep help do`"],
    [["__complete"], "there is no command or topic `__complete`"],
  ])("%j is refused with the nearest match", async (words, reason) => {
    using repository = temporaryRepository();
    const { status, stdout, stderr } = await repository.run(["help", ...words]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(`lockstep: R-IN-001: ${reason}`);
  });
});

describe("the topics", () => {
  it("about plans names every key of a task", () => {
    const keys = Object.keys(planSchema.def.shape.tasks.element.def.in.def.shape);
    expect(keys.length).toBeGreaterThan(20);
    const page = topicText("plans");
    expect(keys.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
  });
});
