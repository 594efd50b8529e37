import { Command } from "commander";

interface Example {
  /** The command line. */
  readonly line: string;
  /** What it does. */
  readonly does: string;
}

/** A command with examples, which `--help` and docs/cli.md show. */
export class LockstepCommand extends Command {
  readonly examples: Example[] = [];

  override createCommand(name?: string): LockstepCommand {
    return new LockstepCommand(name);
  }

  example(line: string, does: string): this {
    if (this.examples.length === 0) this.addHelpText("after", () => `\nExamples:\n${this.#exampleLines()}`);
    this.examples.push({ line, does });
    return this;
  }

  #exampleLines(): string {
    return this.examples.map(({ line, does }) => `  # ${does}\n  ${line}`).join("\n");
  }
}
