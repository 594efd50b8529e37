import { known, literal } from "../../text.ts";
import { agentOfPackage } from "../agents/agent-names.ts";
import { reportCode } from "../row/report-code.ts";
import type { Deed, Hook, Row } from "../row/row.ts";

/** A script in an installed package is the package's program: `node node_modules/.bin/x`, `node …/lockstep.cjs`. */
function programOfScript(path: string): string | undefined {
  if (/(?:^|\/)lockstep(?:\.c?js)?$/.test(path)) return "lockstep";
  const binary = /(?:^|\/)node_modules\/\.bin\/([\w.-]+)$/.exec(path)?.[1];
  const inside = /(?:^|\/)node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//.exec(path)?.[1];
  return binary ?? (inside === undefined ? undefined : agentOfPackage(inside));
}

const runsNode: Hook = (options, effects, call) => {
  for (const loaded of options.all("r", "import", "loader")) effects.code(loaded);
  if (options.has("test")) return effects.opaque("tests run");
  const [script, ...args] = options.operands;
  const program = options.has("e", "p") ? undefined : programOfScript(known(script ?? []) ?? "");
  if (program === undefined) return reportCode(options.all("e", "p"), options, effects, call);
  if (program !== "lockstep") effects.opaque("it runs a script");
  effects.run([literal(program), ...args]);
};

const tsNode = {
  values: "r,require import P,project tsconfig O,compiler-options C,compiler I,ignore cwd",
  harmless: "v,version h,help",
  code: "e,eval p,print",
  runs: "script",
} as const;

const runsDeno = {
  values: "c,config import-map lock cert seed root",
  glued: "A allow-read allow-write allow-net allow-env allow-run",
  runs: "script",
  also: (options, effects) => {
    for (const written of options.all("lock", "root")) effects.operand(written);
  },
} as const satisfies Deed;
const rewrites = { values: "c,config ext ignore line-width indent-width", writes: "operands", tree: true, otherwise: "." } as const;

const evaluates: Hook = ({ operands: [code, ...rest] }, effects) => {
  if (code !== undefined) effects.code(code);
  effects.opaque("it runs inline code");
  for (const word of rest) effects.operand(word);
};

export const javascript: readonly Row[] = [
  {
    names: "node nodejs",
    // `-pe CODE` is node's spelling of `-p CODE`.
    spelled: (words) => words.map((word) => (/^-(?:pe|ep)$/.test(known(word) ?? "") ? literal("-p") : word)),
    wrapper: true,
    values:
      "e,eval p,print r,require import loader,experimental-loader C,conditions input-type test-name-pattern test-skip-pattern test-reporter title env-file env-file-if-exists watch-path inspect-port stack-trace-limit max-old-space-size icu-data-dir openssl-config snapshot-blob",
    glued: "inspect inspect-brk inspect-wait",
    flags: "i,interactive test watch",
    files: "redirect-warnings tls-keylog test-reporter-destination trace-event-file-pattern",
    folders: "cpu-prof-dir heap-prof-dir diagnostic-dir report-dir report-directory",
    harmless: "c,check v,version h,help",
    besides: [
      { when: "build-snapshot", files: "snapshot-blob" },
      { when: "r import loader", opaque: "modules are loaded first" },
    ],
    also: runsNode,
    match: ["node a.js", "node -e x", "node -pe x", "node --test", "node node_modules/.bin/rimraf a -> a", "node --cpu-prof-dir d a.js -> d"],
    no_match: ["node -v", "node --check a.js"],
  },
  {
    names: "ts-node ts-node-esm babel-node swc-node esno jiti vite-node ts-node-script tsm",
    ...tsNode,
    match: ["ts-node a.ts", "ts-node -e x"],
    no_match: ["ts-node -v"],
  },
  { names: "tsx", ...tsNode, commands: { watch: { runs: "script" } }, match: ["tsx a.ts", "tsx watch a.ts"], no_match: ["tsx -v"] },
  {
    names: "deno",
    ...runsDeno,
    commands: {
      "run cache install i task add serve bench": runsDeno,
      eval: { wrapper: true, values: "ext c,config", also: evaluates },
      fmt: { ...rewrites, unless: "check" },
      lint: { ...rewrites, when: "fix" },
      test: { opaque: "tests run" },
      compile: { wrapper: true, values: "target icon c,config", files: "o,output", opaque: "it builds a program" },
      bundle: { files: "o,output outdir", writes: "second" },
      "help info doc types check lsp": {},
    },
    alone: {},
    match: ["deno run -A a.ts", "deno a.ts", "deno fmt -> .", "deno lint --fix a -> a", "deno compile -o a b.ts -> a", "deno eval x", "deno test"],
    no_match: ["deno", "deno fmt --check", "deno lint", "deno check a.ts"],
  },
];
