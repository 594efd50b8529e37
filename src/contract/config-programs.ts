import { z } from "zod";
import { countOrNone, line } from "./config-parts.ts";

/**
 * Programs that a project teaches the guard: rows of the same form as the guard's own table, in which the program's
 * options and operands say what it writes and runs.
 */

const optionForm = /^[^\s,]+(?:,[^\s,]+)*(?: [^\s,]+(?:,[^\s,]+)*)*$/;
const nameForm = /^[A-Za-z0-9_][\w.+@-]*(?: +[A-Za-z0-9_][\w.+@-]*)*$/;

const options = z
  .string("options without their dashes, such as `o,output q`: names of one option joined by commas")
  .regex(optionForm);
const listOf = (what: string) => options.exactOptional().describe(what);
const text = (what: string) => line.exactOptional().describe(what);
const flag = (what: string) => z.boolean().exactOptional().describe(what);

const actions = ["write", "delete", "move", "attributes", "link", "folder"] as const;
const operands = ["operands", "first", "second", "last", "after-first", "after-second"] as const;
const commands = ["operands", "after-dashes", "line", "shell", "each", "package", "script"] as const;
const refusals = ["loader", "refs", "agent", "no-verify", "unknown-code"] as const;

const facts = {
  values: listOf("options that take a value"),
  glued: listOf("options whose value is only ever glued to them: `-i.bak`"),
  digits: listOf("options that take only digits glued to them"),
  flags: listOf("other options, where they have several names or may be abbreviated"),
  ends: listOf("options after whose value everything is an operand"),
  style: z.enum(["gnu", "long", "first-letter"]).exactOptional().describe("how options are spelled"),
  exact: flag("long options are never abbreviated"),
  wrapper: flag("options end at the first operand"),
  files: listOf("options whose value is a file that is written"),
  folders: listOf("options whose value is a folder that is filled"),
  parts: listOf("options whose value is a part of the name of a file that is written"),
  in: listOf("options whose value is the folder that everything happens in"),
  shell: listOf("options whose value is a line for a shell"),
  programs: listOf("options whose value is a program that is run"),
  code: listOf("options whose value is code in another language"),
  writes: z.enum(operands).exactOptional().describe("which operands are written"),
  action: z.enum(actions).exactOptional().describe("what is done to them"),
  tree: z
    .union([z.boolean(), options])
    .exactOptional()
    .describe("whether they may be folders: always, or with these options"),
  sources: flag("it leaves the folders of git and other tools alone"),
  suffix: text("endings of files that are written beside the operands"),
  otherwise: text("what is written where there are no operands, with all below"),
  fixed: text("paths that are written in any case; `*` is some name"),
  when: listOf("operands are written or run only with one of these options"),
  unless: listOf("and not with one of these"),
  needs: countOrNone.exactOptional().describe("and only with so many operands"),
  harmless: listOf("with one of these options it only reads"),
  runs: z.enum(commands).exactOptional().describe("what it runs of its operands"),
  skip: countOrNone.exactOptional().describe("operands before the command"),
  assignments: flag("`NAME=value` words may stand before the command"),
  as: text("the program that its operands are handed to"),
  opaque: text("it does more than the row says, and why"),
  mentions: z
    .enum(["all", "operands", "outputs"])
    .exactOptional()
    .describe("words that it may read or write"),
  refuses: z
    .strictObject({
      kind: z.enum(refusals).describe("the kind of refusal"),
      why: line.describe("what the agent is told"),
    })
    .exactOptional()
    .describe("no agent may run it"),
  input: z.enum(["shell", "code"]).exactOptional().describe("what standard input is"),
};

type Deed = z.output<z.ZodObject<typeof facts>> & {
  cases?: Deed[];
  besides?: Deed[];
  commands?: Record<string, Deed>;
  alone?: Deed;
};

const lazyDeed = z.lazy((): z.ZodType<Deed> => deed);

const deedShape = {
  ...facts,
  cases: z
    .array(lazyDeed)
    .exactOptional()
    .describe("the first whose `when` holds is done in place of the rest"),
  besides: z.array(lazyDeed).exactOptional().describe("each whose `when` holds is done besides the rest"),
  commands: z
    .record(z.string(), lazyDeed)
    .exactOptional()
    .describe("by the first operand, names apart by spaces"),
  alone: lazyDeed.exactOptional().describe("what it does without a subcommand, if not what the row says"),
};

const deed: z.ZodType<Deed> = z
  .strictObject(deedShape)
  .meta({ id: "deed", description: "what a call does by its options and operands" });

const examples = (what: string) => z.array(line).exactOptional().describe(what);

const program = z.strictObject({
  names: z
    .string("names of the program, apart by spaces, without folders")
    .regex(nameForm)
    .describe("names of the program, separated by spaces"),
  ...deedShape,
  match: examples("commands in which the row must find something; ` -> a b` behind one says what is written"),
  no_match: examples("commands in which it must find nothing"),
});

export const programs = z
  .array(program)
  .default([])
  .meta({
    description:
      "programs that the guard does not know well: what they write and run, by options and operands. They add to what it knows; `lockstep explain --why` shows what decided",
    example: [
      {
        names: "gen-client",
        values: "c,config",
        folders: "o,out",
        writes: "operands",
        when: "w,write",
        match: ["gen-client -c x.yml -o src/api -> src/api", "gen-client -w a.ts -> a.ts"],
        no_match: ["gen-client -c x.yml a.ts"],
      },
    ],
  });
