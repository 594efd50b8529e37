import { known } from "../../text.ts";
import { typedInto } from "../row/report-code.ts";
import type { Hook, Row } from "../row/row.ts";
import { programOf } from "../row/run-row.ts";
import { runWithAssignments } from "../row/wrapping.ts";
import { splitQuoted } from "./split-quoted.ts";

/** `env [NAME=value…] command`. The words of `-S LINE`, including options, come before the others. */
const runsInEnvironment: Hook = (options, effects) => {
  const line = options.value("S");
  if (line === undefined) return runWithAssignments(options.operands, effects);
  const words = splitQuoted(known(line) ?? "$");
  if (known(line)?.includes("\\") === true)
    effects.refuse("unknown-code", "`env -S` with escapes is not followed: write the words out without `-S`");
  else if (words === undefined) effects.shell(line, options.operands);
  else effects.run([[{ kind: "literal", text: "env" }], ...words, ...options.operands]);
};

/** The words after the user go to a shell. */
const runsAsUser: Hook = (options, effects, { input }) => {
  if (options.has("c", "session-command")) return;
  if (input.kind === "text") effects.shell(input.text);
  else if (input.kind === "unknown")
    effects.refuse("unknown-code", "data of unknown content goes into a shell: write the commands out");
  else effects.opaque(typedInto);
};

const su: Row = {
  names: "su",
  values: "s,shell g,group G,supp-group w,whitelist-environment u,user",
  flags: "l,login m p P f",
  shell: "c,command session-command",
  also: runsAsUser,
  match: ["su x -c 'touch a' -> a", "su - <<< 'touch a' -> a"],
};
const suProgram = programOf(su);
const asUser = programOf({
  values: "u,user g,group G,supp-group s,shell w",
  shell: "c,command",
  runs: "operands",
});

/** Programs that run a command with other variables or as another user. */
export const environments: readonly Row[] = [
  {
    names: "env",
    wrapper: true,
    spelled: (words) => (known(words[0] ?? []) === "-" ? words.slice(1) : words),
    values: "u,unset S,split-string P a,argv0",
    glued: "block-signal default-signal ignore-signal",
    flags: "i,ignore-environment 0,null v,debug",
    in: "C,chdir",
    besides: [
      {
        when: "P",
        refuses: {
          kind: "loader",
          why: "`env -P` looks for the program in other folders: run it by its path",
        },
      },
    ],
    also: runsInEnvironment,
    match: ["env A=1 touch a -> a", "env -C d touch a -> d/a", "env -S 'touch a' b -> a b", "env -P x ls"],
    no_match: ["env", "env -i ls"],
  },
  {
    names: "sudo",
    values:
      "u,user g,group h,host p,prompt C,close-from r,role t,type T,command-timeout U,other-user a c R,chroot",
    in: "D,chdir",
    harmless: "l,list v,validate V",
    runs: "operands",
    assignments: true,
    cases: [
      { when: "e,edit", writes: "operands" },
      { when: "s,shell i,login", runs: "shell" },
    ],
    match: [
      "sudo -u x touch a -> a",
      "sudo A=1 touch a -> a",
      "sudo -e a b -> a b",
      "sudo -s 'touch a' -> a",
    ],
    no_match: ["sudo -l", "sudo ls"],
  },
  su,
  {
    names: "runuser",
    also: (_, effects, call) => {
      const isGiven = call.args.some((word) => /^(?:-u|--user)/.test(known(word) ?? ""));
      (isGiven ? asUser : suProgram)(call, effects);
    },
    match: ["runuser -u x touch a -> a", "runuser x -c 'touch a' -> a"],
  },
];
