import type {
  AndOr,
  CompoundCommand,
  CompoundList,
  Function as FunctionNode,
  ParsedScript,
  Pipeline,
  Redirected,
  Statement,
  Word,
} from "unbash";
import { codeSource } from "./code-source.ts";
import { runCase, runIf } from "./evaluate-branches.ts";
import { runFor, runWhile } from "./evaluate-loops.ts";
import { expandFields, expandSingle } from "./expand-word.ts";
import {
  depthMax,
  type Escapes,
  expansionMax,
  LimitExceeded,
  type Machine,
  type RunLookup,
  type ShellContext,
  stepsMax,
} from "./machine.ts";
import { parseSource } from "./parse-source.ts";
import { redirect } from "./redirections.ts";
import type { Report } from "./report.ts";
import { afterRedirect, runCommand, runWords, withDescriptors } from "./run-command.ts";
import { runArithmetic, runTest } from "./run-nested.ts";
import { SourcePlaces } from "./source-places.ts";
import { concat, type Text } from "./text.ts";
import type { Input } from "./types.ts";
import { both, combine, distinct, type Outcome, type World, withoutLocals } from "./world.ts";

export type Node = Statement["command"] | CompoundCommand | Redirected | CompoundList | FunctionNode;

/** Walks the syntax tree as a shell would, and follows every possible result of a condition. */
export class Evaluator implements Machine {
  readonly context: ShellContext;
  readonly report: Report;
  readonly defaulted = new Set<string>();
  readonly integers = new Set(
    "RANDOM SRANDOM SECONDS LINENO OPTIND HISTCMD BASH_SUBSHELL EPOCHSECONDS".split(" "),
  );
  readonly constants = new Set<string>();
  readonly counted = new Set<string>();
  traps: Text[] = [];
  escapes: Escapes = newEscapes();
  readonly #places: SourcePlaces;
  #steps = 0;
  #depth = 0;
  #expanded = 0;

  constructor(context: ShellContext, report: Report, source: string) {
    this.context = context;
    this.report = report;
    this.#places = new SourcePlaces(source, report);
  }

  fields(word: Word, world: World): readonly Text[] {
    const fields = expandFields(this, word, world);
    for (const field of fields) this.#spend(field);
    return fields;
  }

  single(word: Word, world: World): Text {
    return this.#spend(expandSingle(this, word, world));
  }

  run(words: readonly Text[], world: World, input: Input, lookup: RunLookup = {}): Outcome {
    this.#step();
    return this.#deeper(() => runWords(this, words, world, { input, ...lookup }));
  }

  /** Runs a script in a subshell: `$(…)`, `<(…)`. */
  script(script: ParsedScript, world: World, input: Input): Outcome {
    const [error] = script.errors ?? [];
    if (error !== undefined) this.report.refuse("unparsed", `the command cannot be parsed: ${error.message}`);
    // A substitution does not end at a failure, even with `set -e`.
    const inner = { ...world, stopsOnError: false };
    return this.#deeper(() => this.#inSubshell(() => this.list(script.commands, inner, input)));
  }

  /** Runs in the current shell. No separate program contains the commands. */
  code(text: Text, world: World, input: Input): Outcome {
    return this.#places.at(undefined, () => this.#code(text, world, input));
  }

  #code(text: Text, world: World, input: Input): Outcome {
    const source = codeSource(this, text, world);
    if (source === undefined) return both(world);
    const script = parseSource(source.text);
    if ("why" in script) throw new LimitExceeded(script.why);
    const [error] = script.errors ?? [];
    if (error !== undefined)
      this.report.refuse("unparsed", `the inner command cannot be parsed: ${error.message}`);
    return this.#deeper(() => this.#places.inMadeCode(() => this.list(script.commands, source.world, input)));
  }

  subshell(text: Text, world: World, input: Input): Text | undefined {
    return this.#inSubshell(() => this.#code(text, world, input)).out;
  }

  function(body: FunctionNode["body"], world: World, input: Input, caller: World): Outcome {
    const outer = this.escapes;
    const ended: World[] = [];
    const locals = new Set<string>();
    this.escapes = { ...outer, returned: ended, broken: undefined, locals };
    const run = () => this.node(body, world, input);
    const outcome = this.#deeper(() => this.#places.called(body, run));
    this.escapes = outer;
    const back = (changed: World): World =>
      changed === world
        ? caller
        : withoutLocals({ ...changed, positional: caller.positional }, locals, caller);
    return {
      ok: distinct([...outcome.ok, ...ended].map(back)),
      fail: distinct([...outcome.fail, ...ended].map(back)),
      out: ended.length === 0 ? outcome.out : undefined,
    };
  }

  list(statements: readonly Statement[], world: World, input: Input): Outcome {
    let last: Outcome = { ok: [world], fail: [], out: [] };
    let out: Text | undefined = [];
    for (const statement of statements) {
      const before = distinct([...last.ok, ...last.fail]);
      last = combine(before.map((from) => this.#statement(statement, from, input)));
      if (this.traps.length > 0) this.#runPending(last);
      out = joinedOut(out, last.out);
    }
    return { ...last, out };
  }

  node(node: Node, world: World, input: Input): Outcome {
    switch (node.type) {
      case "Command":
        return this.#places.at(node.name, () => runCommand(this, node, world, input));
      case "AndOr":
        return this.#andOr(node, world, input);
      case "Pipeline":
        return this.#pipeline(node, world, input);
      case "Redirected": {
        const redirected = redirect(this, node.redirects, world, input);
        const inner = withDescriptors(world, redirected.descriptors);
        return afterRedirect(this.node(node.command, inner, redirected.input), redirected, world);
      }
      case "Function":
        if (node.name.value === "command_not_found_handle")
          this.report.refuse(
            "loader",
            "the command defines the handler for unknown commands: give the function another name",
          );
        this.#places.defined(node);
        return both({ ...world, functions: new Map([...world.functions, [node.name.value, node.body]]) }, []);
      case "CompoundList":
        return this.list(node.commands, world, input);
      case "BraceGroup":
        return this.list(node.body.commands, world, input);
      case "Subshell":
        return both(world, this.#inSubshell(() => this.list(node.body.commands, world, input)).out);
      case "Coproc":
        return both(world, this.#inSubshell(() => this.node(node.body, world, input)).out);
      case "If":
        return runIf(this, node, world, input);
      case "Case":
        return runCase(this, node, world, input);
      case "For":
      case "Select":
        return runFor(this, node, world, input);
      case "While":
      case "ArithmeticFor":
        return runWhile(this, node, world, input);
      case "TestCommand":
        runTest(this, node.expression, world);
        return both(world, []);
      case "ArithmeticCommand":
        if (node.expression !== undefined) runArithmetic(this, node.expression, world);
        return both(world, []);
    }
  }

  /** In a condition, a failure does not end the shell even with `set -e`. */
  asCondition(world: World, run: (world: World) => Outcome): Outcome {
    if (!world.stopsOnError) return run(world);
    const outcome = run({ ...world, stopsOnError: false });
    const back = (changed: World): World => ({ ...changed, stopsOnError: true });
    return { ...outcome, ok: outcome.ok.map(back), fail: outcome.fail.map(back) };
  }

  #step(): void {
    this.#steps += 1;
    if (this.#steps > stepsMax) throw new LimitExceeded(`it runs more than ${stepsMax} commands; split it`);
  }

  #statement(statement: Statement, world: World, input: Input): Outcome {
    this.#step();
    if (statement.background)
      return both(world, this.#inSubshell(() => this.node(statement.command, world, input)).out);
    const outcome = this.node(statement.command, world, input);
    return world.stopsOnError && statement.command.type === "Command" ? { ...outcome, fail: [] } : outcome;
  }

  #andOr(node: AndOr, world: World, input: Input): Outcome {
    const [first, ...rest] = node.commands;
    let outcome =
      first === undefined ? both(world) : this.asCondition(world, (from) => this.node(first, from, input));
    rest.forEach((command, index) => {
      const and = node.operators[index] === "&&";
      const run = (from: World) => this.node(command, from, input);
      const last = index === rest.length - 1;
      const next = combine(
        (and ? outcome.ok : outcome.fail).map((from) => (last ? run(from) : this.asCondition(from, run))),
      );
      const certain = (and ? outcome.fail : outcome.ok).length === 0;
      outcome = {
        ok: distinct(and ? next.ok : [...outcome.ok, ...next.ok]),
        fail: distinct(and ? [...outcome.fail, ...next.fail] : next.fail),
        out: certain ? joinedOut(outcome.out, next.out) : undefined,
      };
    });
    return outcome;
  }

  /** Each part of a pipeline runs in a subshell and reads the output of the part before it. */
  #pipeline(node: Pipeline, world: World, input: Input): Outcome {
    const negated = node.prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
    const [only] = node.commands;
    if (only !== undefined && node.commands.length === 1) {
      if (!negated) return this.node(only, world, input);
      const outcome = this.asCondition(world, (from) => this.node(only, from, input));
      return { ...outcome, ok: outcome.fail, fail: outcome.ok };
    }
    let reads = input;
    let out: Text | undefined;
    for (const [index, command] of node.commands.entries()) {
      const from = reads;
      const { out: printed } = this.#inSubshell(() => this.node(command, world, from));
      out = node.operators[index] === "|&" ? undefined : printed; // errors are piped, too
      reads = out === undefined ? { kind: "unknown" } : { kind: "text", text: out };
    }
    return both(world, out);
  }

  /** Runs in a subshell: returns, breaks, exits and traps inside end with it. */
  #inSubshell(inner: () => Outcome): Outcome {
    const { escapes, traps } = this;
    this.escapes = newEscapes();
    this.traps = [];
    try {
      const outcome = inner();
      this.runTraps(outcome);
      return outcome;
    } finally {
      this.escapes = escapes;
      this.traps = traps;
    }
  }

  /** The code of a `trap` runs when its shell ends, normally or because any of its commands fails. */
  runTraps(end: Outcome): void {
    this.#runPending({ ...end, ok: [...end.ok, ...this.escapes.exited] });
    this.traps = [];
  }

  #runPending({ ok, fail }: Outcome): void {
    const pending = this.traps;
    this.traps = [];
    const worlds = distinct([...ok, ...fail]);
    for (const code of pending) for (const world of worlds) this.subshell(code, world, { kind: "none" });
    this.traps = [...pending, ...this.traps];
  }

  /** Limits text that doubles with every step, which would fill the memory. */
  #spend(text: Text): Text {
    this.#expanded += 4;
    for (const piece of text) this.#expanded += piece.kind === "literal" ? piece.text.length : 1;
    if (this.#expanded > expansionMax)
      throw new LimitExceeded(`it expands to more than ${expansionMax} characters; split it`);
    return text;
  }

  #deeper(inner: () => Outcome): Outcome {
    this.#depth += 1;
    if (this.#depth > depthMax * 3) throw new LimitExceeded("it is nested too deeply; split it");
    try {
      return inner();
    } finally {
      this.#depth -= 1;
    }
  }
}

function newEscapes(): Escapes {
  return { returned: undefined, broken: undefined, locals: undefined, exited: [] };
}

function joinedOut(first: Text | undefined, second: Text | undefined): Text | undefined {
  return first === undefined || second === undefined ? undefined : concat(first, second);
}
