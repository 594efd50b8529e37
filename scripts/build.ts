import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { type BuildOptions, build, type Plugin, transform } from "esbuild";
import { refusalForms } from "../src/guard/transport/static-deny.ts";

/**
 * Each program is one CommonJS file, because Node loads one large file faster than many modules. A running process does
 * not read from `dist` later, so a new build does not disturb it. Hooks start for every call: parts that only some of
 * them need are in files of their own.
 */
const dist = new URL("../dist/", import.meta.url).pathname;
mkdirSync(dist, { recursive: true });
/** On the same file system as `dist`, so that a file is replaced by a rename. */
const building = ".building-";
const out = mkdtempSync(join(dist, building));
process.on("exit", () => rmSync(out, { recursive: true, force: true }));

const form = {
  platform: "node",
  target: "node22.18",
  // Fewer bytes to parse save time. Names are kept for stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: "warning",
} as const;
const shared: BuildOptions = { ...form, bundle: true };

/** secretlint logs and measures with two packages. Lockstep does not use their output, and they take 8 ms to load. */
const quiet: Plugin = {
  name: "quiet",
  setup: (made) =>
    made.onResolve({ filter: /^(?:debug|@secretlint\/profiler)$/ }, () => ({
      path: new URL("no-logging.ts", import.meta.url).pathname,
    })),
};

/** commander can start subcommands that are programs of their own. Lockstep has none, and this takes 5 ms to load. */
const noPrograms: Plugin = {
  name: "no-programs",
  setup: (made) =>
    made.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes("/node_modules/commander/")
        ? { path: new URL("no-programs.ts", import.meta.url).pathname }
        : undefined,
    ),
};

/** Moves the parts that few hook calls need out of the hooks' bundles, into the files that are built below. */
const apart: Plugin = {
  name: "apart",
  setup: (made) =>
    made.onResolve(
      {
        filter:
          /\/(?:secretlint|offline-answer|check-proof|load-config|shell\/analyze|orchestrator\/layers|contain\/call-sandbox|postgres\/open-ledger)\.ts$/,
      },
      ({ kind, path }) =>
        kind === "dynamic-import" ? { path: `./${basename(path, ".ts")}.cjs`, external: true } : undefined,
    ),
};

/** The database client is a file of its own, which only a project with a shared ledger loads. */
const clientApart: Plugin = {
  name: "client",
  setup: (made) =>
    made.onResolve({ filter: /^pg$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./pg.cjs", external: true } : undefined,
    ),
};
/** Where a program has parts, `import()` of a CommonJS package gives no names of its own, so they are listed here. */
const named: Plugin = {
  name: "named",
  setup: (made) => {
    made.onResolve({ filter: /^[@a-z][^:]*$/ }, ({ kind, path, resolveDir }) =>
      kind === "dynamic-import" ? { path, namespace: "named", pluginData: resolveDir } : undefined,
    );
    made.onLoad({ filter: /./, namespace: "named" }, async ({ path, pluginData: resolveDir }) => {
      const names = Object.keys(await import(path)).filter((name) => /^\w+$/.test(name));
      return { contents: `export{${names.join(",")}}from${JSON.stringify(path)}`, resolveDir };
    });
  },
};
await build({
  ...shared,
  format: "cjs",
  outfile: join(out, "pg.cjs"),
  entryPoints: [createRequire(import.meta.url).resolve("pg")],
  external: ["pg-native"],
});

/** `import()` of a CommonJS file would start the module loader for nothing. */
const noLoader = { supported: { "dynamic-import": false } };
const urlOfFile = 'var fileUrl=require("node:url").pathToFileURL(__filename).href;';
const commonJs: BuildOptions = {
  ...shared,
  ...noLoader,
  format: "cjs",
  outdir: out,
  outExtension: { ".js": ".cjs" },
  define: { "import.meta.url": "fileUrl" },
  banner: { js: urlOfFile },
};

await build({
  ...commonJs,
  entryPoints: {
    hook: "src/cli/hook/hook-main.ts",
    guard: "src/cli/hook/guard-main.ts",
    secretlint: "src/core/secrets/secretlint.ts",
    "load-config": "src/workspace/config/load-config.ts",
    analyze: "src/core/shell/analyze.ts",
    layers: "src/guard/orchestrator/layers.ts",
    "call-sandbox": "src/guard/contain/call-sandbox.ts",
    "guard-client": "src/cli/hook/guard-client.ts",
    "offline-answer": "src/guard/transport/offline-answer.ts",
    "check-proof": "src/guard/transport/check-proof.ts",
    "open-ledger": "src/ledger/postgres/open-ledger.ts",
  },
  plugins: [quiet, apart, clientApart],
});
await build({
  ...commonJs,
  entryPoints: { "script-agent": "src/clients/script/main.ts" },
  plugins: [quiet],
});
await buildInParts("main", "src/cli/main.ts");

/** The board's page: script and style for browsers of the last two years, and two unchanged files. */
await build({
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  target: "es2023",
  outdir: out,
  entryNames: "board",
  entryPoints: ["src/page/main.ts", "src/page/board.css"],
  legalComments: "eof",
  logLevel: "warning",
});
copyFileSync("src/page/index.html", join(out, "board.html"));
copyFileSync("src/page/icon.svg", join(out, "board.svg"));

// For a Node that is too old for the other files.
writeFileSync(join(out, "refusals.json"), JSON.stringify(refusalForms));

const built = readdirSync(out);
for (const file of built.filter((name) => name.endsWith(".cjs"))) escapeAll(join(out, file));
// A process of the previous build always finds each file complete.
for (const file of built) renameSync(join(out, file), join(dist, file));
// Another build may be working in its own folder.
for (const name of readdirSync(dist).filter((one) => !built.includes(one) && !one.startsWith(building)))
  rmSync(join(dist, name), { recursive: true });

/**
 * One file in which each part that some commands need is a function of its own. Without them, a command would create
 * every function of the program and read what V8 compiled of it.
 */
async function buildInParts(name: string, entry: string): Promise<void> {
  const { outputFiles } = await build({
    ...shared,
    format: "esm",
    splitting: true,
    write: false,
    outdir: out,
    entryPoints: { [name]: entry },
    define: { "import.meta.url": "fileUrl" },
    plugins: [quiet, noPrograms, clientApart, named],
  });
  const parts = await Promise.all(
    outputFiles.map(async ({ path, text }) => {
      const { code } = await transform(text, { ...form, ...noLoader, format: "cjs" });
      return `${JSON.stringify(`./${basename(path)}`)}(module,exports,require){${code}}`;
    }),
  );
  const load = `${urlOfFile}var parts={${parts.join(",\n")}},loaded={};
function load(name){if(!Object.hasOwn(parts,name))return require(name);
if(loaded[name])return loaded[name].exports;
var made=loaded[name]={exports:{}};parts[name](made,made.exports,load);return made.exports}
load("./${name}.js");
`;
  writeFileSync(join(out, `${name}.cjs`), load);
}

/** Node keeps a text with one other character in twice the bytes. esbuild leaves them in regular expressions only. */
function escapeAll(file: string): void {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  writeFileSync(file, readFileSync(file, "utf8").replace(/[\u0080-\uffff]/g, escaped));
}
