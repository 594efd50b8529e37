import * as z from "zod";
import { countOrNone, line } from "./config-parts.ts";

/**
 * Programs that a project describes to the guard. Each row has the same form as the guard's own table: the
 * program's options and operands say what it writes and runs.
 */

const optionForm = /^[^\s,]+(?:,[^\s,]+)*(?: [^\s,]+(?:,[^\s,]+)*)*$/;
const nameForm = /^[A-Za-z0-9_][\w.+@-]*(?: +[A-Za-z0-9_][\w.+@-]*)*$/;

const options = z
  .string("options without their dashes, such as `o,output q`: names of one option joined by commas")
  .regex(optionForm);
const listOf = (description: string) => options.exactOptional().describe(description);
const text = (description: string) => line.exactOptional().describe(description);
const flag = (description: string) => z.boolean().exactOptional().describe(description);

const actions = ["write", "delete", "move", "attributes", "link", "folder"] as const;
const operands = ["operands", "first", "second", "last", "after-first", "after-second"] as const;
const commands = ["operands", "after-dashes", "line", "shell", "each", "package", "script"] as const;
const refusals = ["loader", "refs", "agent", "no-verify", "unknown-code"] as const;

const facts = {
  values: listOf("options that take a value"),
  glued: listOf("options whose value is always attached to them: `-i.bak`"),
  digits: listOf("options that take only digits, attached to them"),
  flags: listOf("other options that have several names or can be abbreviated"),
  ends: listOf("options after whose value all further words are operands"),
  style: z.enum(["gnu", "long", "first-letter"]).exactOptional().describe("how options are spelled"),
  exact: flag("long options are never abbreviated"),
  wrapper: flag("options end at the first operand"),
  files: listOf("options whose value is a file that is written"),
  folders: listOf("options whose value is a folder that it writes into"),
  parts: listOf("options whose value is part of the name of a file that is written"),
  in: listOf("options whose value is the working folder"),
  shell: listOf("options whose value is a line for a shell"),
  programs: listOf("options whose value is a program that is run"),
  code: listOf("options whose value is code in another language"),
  writes: z.enum(operands).exactOptional().describe("which operands are written"),
  action: z.enum(actions).exactOptional().describe("what is done to them"),
  tree: z
    .union([z.boolean(), options])
    .exactOptional()
    .describe("whether they may be folders: always, or with these options"),
  sources: flag("it does not touch the folders of git and other tools"),
  suffix: text("endings of files that are written next to the operands"),
  otherwise: text("what is written if there are no operands, including everything below it"),
  fixed: text("paths that are always written; `*` is any name"),
  when: listOf("operands are written or run only with one of these options"),
  unless: listOf("and not with one of these"),
  needs: countOrNone.exactOptional().describe("and only with at least this many operands"),
  harmless: listOf("with one of these options it only reads"),
  runs: z.enum(commands).exactOptional().describe("which of its operands it runs"),
  skip: countOrNone.exactOptional().describe("operands before the command"),
  assignments: flag("`NAME=value` words may precede the command"),
  as: text("the program that its operands are passed to"),
  opaque: text("the reason why it does more than the row says"),
  mentions: z
    .enum(["all", "operands", "outputs"])
    .exactOptional()
    .describe("words that may be paths it reads or writes"),
  refuses: z
    .strictObject({
      kind: z.enum(refusals).describe("the kind of refusal"),
      why: line.describe("the reason that the agent sees"),
    })
    .exactOptional()
    .describe("no agent may run it"),
  input: z.enum(["shell", "code"]).exactOptional().describe("what it reads from standard input"),
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
  cases: z.array(lazyDeed).exactOptional().describe("the first one whose `when` holds replaces the rest"),
  besides: z
    .array(lazyDeed)
    .exactOptional()
    .describe("each one whose `when` holds applies in addition to the rest"),
  commands: z
    .record(z.string(), lazyDeed)
    .exactOptional()
    .describe("by the first operand; several names are separated by spaces"),
  alone: lazyDeed.exactOptional().describe("what it does without a subcommand, if that differs from the row"),
};

const deed: z.ZodType<Deed> = z
  .strictObject(deedShape)
  .meta({ id: "deed", description: "what a call does, by its options and operands" });

const examples = (description: string) => z.array(line).exactOptional().describe(description);

const program = z.strictObject({
  names: z
    .string("names of the program, separated by spaces, without folders")
    .regex(nameForm)
    .describe("names of the program, separated by spaces"),
  ...deedShape,
  match: examples(
    "commands in which the row must find something; ` -> a b` after a command lists what it writes",
  ),
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
