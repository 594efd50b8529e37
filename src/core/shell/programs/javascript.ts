import { known, literal, type Text } from "../text.ts";
import type { Effects, Program } from "../types.ts";
import { agentOfPackage } from "./agents/agent-names.ts";
import { named, reading, writeFiles, writeTrees } from "./row/describe.ts";
import { tellCode } from "./row/tell-code.ts";

const nodeOptions = {
  values:
    "e,eval p,print r,require import loader,experimental-loader C,conditions input-type test-name-pattern test-skip-pattern test-reporter title env-file env-file-if-exists watch-path inspect-port stack-trace-limit max-old-space-size icu-data-dir openssl-config snapshot-blob",
  glued: "inspect inspect-brk inspect-wait",
  flags:
    "c,check i,interactive v,version h,help test watch experimental-strip-types no-warnings build-snapshot",
} as const;
const nodeFiles = [
  "redirect-warnings",
  "tls-keylog",
  "test-reporter-destination",
  "trace-event-file-pattern",
];
const nodeFolders = ["cpu-prof-dir", "heap-prof-dir", "diagnostic-dir", "report-dir", "report-directory"];

const node = reading(
  { ...nodeOptions, values: [nodeOptions.values, ...nodeFiles, ...nodeFolders].join(" "), wrapper: true },
  (options, effects, call) => {
    writeFiles(options.all(...nodeFiles), effects);
    writeTrees(options.all(...nodeFolders), effects);
    if (options.has("build-snapshot")) writeFiles(options.all("snapshot-blob"), effects);
    if (options.has("c", "v", "h")) return;
    for (const loaded of options.all("r", "import", "loader")) effects.code(loaded);
    if (options.has("r", "import", "loader")) effects.opaque("modules are loaded first");
    if (options.has("test")) return effects.opaque("tests run");
    const script = options.operands[0];
    if (
      !options.has("e", "p") &&
      script !== undefined &&
      runPackage(script, options.operands.slice(1), effects)
    )
      return;
    tellCode(options.all("e", "p"), options, effects, call);
  },
);

/** A script of an installed package is that package's program: `node node_modules/.bin/x`, `node …/lockstep.cjs`. */
function runPackage(script: Text, args: readonly Text[], effects: Effects): boolean {
  const path = known(script) ?? "";
  const binary = /(?:^|\/)node_modules\/\.bin\/([\w.-]+)$/.exec(path)?.[1];
  const isLockstep = /(?:^|\/)lockstep(?:\.c?js)?$/.test(path);
  const inside = /(?:^|\/)node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//.exec(path)?.[1];
  const agent = inside === undefined ? undefined : agentOfPackage(inside);
  const name = isLockstep ? "lockstep" : (binary ?? agent);
  if (name === undefined) return false;
  if (!isLockstep) effects.opaque("a script runs");
  effects.run([literal(name), ...args]);
  return true;
}

/** `-pe CODE` is node's own spelling of `-p CODE`. */
const nodeCall: Program = (call, effects) => {
  const args = call.args.map((word) => (/^-(?:pe|ep)$/.test(known(word) ?? "") ? literal("-p") : word));
  node({ ...call, args }, effects);
};

const tsNode = reading(
  {
    values: "e,eval p,print r,require import P,project tsconfig O,compiler-options C,compiler I,ignore cwd",
    flags: "T,transpile-only esm v,version h,help watch",
    wrapper: true,
  },
  (options, effects, call) => {
    if (options.has("v", "h")) return;
    const isWatch = known(options.operands[0] ?? []) === "watch" && call.name === "tsx";
    const inner = isWatch ? { ...options, operands: options.operands.slice(1) } : options;
    tellCode(options.all("e", "p"), inner, effects, call);
  },
);

const deno: Program = (call, effects) => {
  const [verb, ...rest] = call.args;
  const name = known(verb ?? []) ?? "";
  const command = denoCommands.get(name);
  if (/^(?:|--version|-V|--help|-h|help|info|doc|types|check|lsp)$/.test(name)) return;
  if (command !== undefined) return command({ ...call, args: rest }, effects);
  const isScript = /\.[cm]?[jt]sx?$/.test(name);
  denoRun({ ...call, args: isScript ? call.args : rest }, effects);
};

const denoRun = reading(
  {
    values: "c,config import-map lock cert seed root",
    glued: "A allow-read allow-write allow-net allow-env allow-run",
    wrapper: true,
  },
  (options, effects, call) => {
    for (const written of options.all("lock", "root")) effects.operand(written);
    tellCode([], options, effects, call);
  },
);

const denoCommands = new Map<string, Program>([
  [
    "eval",
    reading({ values: "ext c,config", wrapper: true }, (options, effects) => {
      const [code, ...rest] = options.operands;
      if (code !== undefined) effects.code(code);
      effects.opaque("inline code runs");
      for (const word of rest) effects.operand(word);
    }),
  ],
  ["fmt", rewritesUnless("check")],
  ["lint", rewritesWith("fix")],
  ["test", (_, effects) => effects.opaque("tests run")],
  [
    "compile",
    reading({ values: "target icon c,config o,output", wrapper: true }, (options, effects) => {
      const output = options.value("o");
      effects.opaque("it builds a program");
      if (output !== undefined) effects.write(output);
    }),
  ],
  [
    "bundle",
    reading({ values: "o,output outdir" }, (options, effects) =>
      writeFiles([...options.all("o", "outdir"), ...options.operands.slice(1, 2)], effects),
    ),
  ],
]);

function rewritesUnless(flag: string): Program {
  return reading(
    { values: "c,config ext ignore line-width indent-width", flags: flag },
    (options, effects) => {
      if (!options.has(flag))
        writeTrees(options.operands.length === 0 ? [literal(".")] : options.operands, effects);
    },
  );
}

function rewritesWith(flag: string): Program {
  return reading({ values: "c,config ext ignore", flags: flag }, (options, effects) => {
    if (options.has(flag))
      writeTrees(options.operands.length === 0 ? [literal(".")] : options.operands, effects);
  });
}

export const javascript = new Map<string, Program>([
  ...named("node nodejs", nodeCall),
  ["deno", deno],
  ...named("ts-node ts-node-esm tsx babel-node swc-node esno jiti vite-node ts-node-script tsm", tsNode),
]);
