import type { InventoryRecord, TestOutcome } from "./inventory.ts";

interface Block {
  readonly announced: number;
  readonly where: readonly string[];
  readonly tests: { readonly names: readonly string[]; readonly outcome: TestOutcome }[];
  /** A test whose outcome follows after its own output. */
  waiting: string | undefined;
  hasEnded: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with one
const colours = /\u001b\[[\d;]*m/g;
const lineLengthMax = 10_000;
const testsMax = 250_000;

/** Reads the test list in the output of `cargo test`; a stable toolchain offers no other format. */
export class CargoLines {
  readonly #blocks: Block[] = [];
  #where: readonly string[] | undefined;
  #rest = "";
  #count = 0;

  add(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = (lines.pop() ?? "").slice(0, lineLengthMax);
    for (const line of lines) if (line.length <= lineLengthMax) this.#read(line);
  }

  finish(record: InventoryRecord): void {
    this.#read(this.#rest);
    for (const block of this.#blocks.filter(isList)) {
      record.began("cargo test");
      for (const { names, outcome } of block.tests) record.add(names, outcome);
      const of = block.where[0] ?? "a program";
      if (!block.hasEnded) record.cut(`cargo test began ${of} and did not finish`);
    }
  }

  #read(coloured: string): void {
    const line = coloured.replace(colours, "");
    const where = targetOf(line);
    if (where !== undefined) this.#where = where;
    const announced = /^running (\d+) tests?$/.exec(line)?.[1];
    if (announced !== undefined) {
      const where = this.#where ?? [];
      this.#blocks.push({
        announced: Number(announced),
        where,
        tests: [],
        waiting: undefined,
        hasEnded: false,
      });
    }
    const block = this.#blocks.at(-1);
    if (block === undefined || block.hasEnded) return;
    if (/^test result: (?:ok|FAILED)\. /.test(line)) block.hasEnded = true;
    else this.#readTest(line, block);
  }

  #readTest(line: string, block: Block): void {
    const [, named, said = ""] = /^test (.+?) \.\.\. ?(.*)$/.exec(line) ?? [];
    const name = named ?? block.waiting;
    if (name === undefined) return;
    const outcome = outcomeOf(named === undefined ? line : said);
    block.waiting = outcome === undefined ? name : undefined;
    if (outcome === undefined || this.#count >= testsMax) return;
    this.#count += 1;
    block.tests.push({ names: idParts(name, block.where), outcome });
  }
}

/** Excludes blocks that a program printed itself, and cargo's short form, which lists no tests. */
function isList({ where, tests, announced, hasEnded }: Block): boolean {
  return tests.length > 0 || (where.length > 0 && (announced === 0 || !hasEnded));
}

/** `Running unittests src/lib.rs (target/debug/deps/name-0123456789abcdef)`, `Doc-tests name`. */
function targetOf(line: string): readonly string[] | undefined {
  const [, path, program] =
    /^ +Running (?:unittests )?(?:(\S.*?) \()?([^()]*\/deps\/[^/()]+)\)?$/.exec(line) ?? [];
  if (program !== undefined) {
    const crate = program.slice(program.lastIndexOf("/") + 1).replace(/-[0-9a-f]{16}(?:\.exe)?$/, "");
    return path === undefined ? [crate] : [path, crate];
  }
  const crate = /^ +Doc-tests (\S+)$/.exec(line)?.[1];
  return crate === undefined ? undefined : ["", crate];
}

function outcomeOf(said: string): TestOutcome | undefined {
  if (/^(?:ignored|bench:)|(?:^|\W)ignored$/.test(said)) return said.startsWith("bench:") ? "pass" : "skip";
  if (/ok(?: <\d[\d.]*s>)?$/.test(said)) return "pass";
  return /FAILED(?: <\d[\d.]*s>)?$/.test(said) ? "fail" : undefined;
}

/** A documentation test is named by file and line; the line is dropped, because it changes with the lines above. */
function idParts(name: string, where: readonly string[]): readonly string[] {
  const plain = name.replace(/ - (?:should panic|compile fail)$/, "");
  const [, file, item, compiled] = /^(\S+\.\w+) - (.*?) ?\(line \d+\)( - compile)?$/.exec(plain) ?? [];
  if (file === undefined) return [...where, plain];
  const how = compiled === undefined ? "documentation" : "documentation, compiled only";
  return [file, ...where.slice(1), `${item || "top"} (${how})`];
}
