import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { refusalForms } from "../src/guard/transport/static-deny.ts";

/**
 * A hook starts for every call, so its bundle is one CommonJS file: loading that takes 5 ms less than the
 * same code as modules. What only some calls need, the secret preset, is a second file.
 */
const dist = new URL("../dist/", import.meta.url).pathname;
mkdirSync(dist, { recursive: true });
/** Beside the files that it replaces, so that a rename puts each in its place. */
const out = mkdtempSync(join(dist, ".building-"));
process.on("exit", () => rmSync(out, { recursive: true, force: true }));

const shared: BuildOptions = {
  bundle: true,
  platform: "node",
  target: "node22.18",
  // Fewer bytes to parse is time saved. Names stay, for stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: "warning",
};

/** secretlint logs and measures through two packages that nobody reads here and that take 8 ms to load. */
const quiet: Plugin = {
  name: "quiet",
  setup: (made) =>
    made.onResolve({ filter: /^(?:debug|@secretlint\/profiler)$/ }, () => ({
      path: new URL("no-logging.ts", import.meta.url).pathname,
    })),
};

/** Keeps what few hook calls need out of the hooks' bundles, in the files that are made of it below. */
const apart: Plugin = {
  name: "apart",
  setup: (made) =>
    made.onResolve(
      {
        filter:
          /\/(?:secretlint|offline-answer|check-proof|load-config|shell\/analyze|orchestrator\/desk|contain\/call-sandbox)\.ts$/,
      },
      ({ kind, path }) =>
        kind === "dynamic-import" ? { path: `./${basename(path, ".ts")}.cjs`, external: true } : undefined,
    ),
};

await build({
  ...shared,
  format: "cjs",
  outdir: out,
  outExtension: { ".js": ".cjs" },
  entryPoints: {
    hook: "src/cli/hook/hook-main.ts",
    guard: "src/cli/hook/guard-main.ts",
    secretlint: "src/core/secrets/secretlint.ts",
    "load-config": "src/workspace/config/load-config.ts",
    analyze: "src/core/shell/analyze.ts",
    desk: "src/guard/orchestrator/layers.ts",
    "call-sandbox": "src/guard/contain/call-sandbox.ts",
    "guard-client": "src/cli/hook/guard-client.ts",
    "offline-answer": "src/guard/transport/offline-answer.ts",
    "check-proof": "src/guard/transport/check-proof.ts",
  },
  plugins: [quiet, apart],
  // `import()` of a CommonJS file would start the module loader for nothing.
  supported: { "dynamic-import": false },
  define: { "import.meta.url": "fileUrl" },
  banner: { js: 'var fileUrl=require("node:url").pathToFileURL(__filename).href;' },
});
await build({
  ...shared,
  format: "esm",
  outdir: out,
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  entryPoints: { main: "src/cli/main.ts", "script-agent": "src/clients/script/main.ts" },
  plugins: [quiet],
  // Its other build is CommonJS, which a module cannot hold.
  alias: { yaml: "./node_modules/yaml/browser/index.js" },
});

// For a Node that is too old for any of these.
writeFileSync(join(out, "refusals.json"), JSON.stringify(refusalForms));

/** A package has no use for what was built before. */
const isPacked = ["pack", "publish"].includes(process.env.npm_command ?? "");
const oldMs = isPacked ? 0 : 24 * 60 * 60 * 1000;
const built = readdirSync(out, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(out.length + 1));
// What is loaded first comes last: by then there is everything that it names.
for (const file of built.toSorted((one, other) => depthOf(other) - depthOf(one))) {
  mkdirSync(dirname(join(dist, file)), { recursive: true });
  renameSync(join(out, file), join(dist, file));
}
// A process that runs may still load a chunk of the build before.
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  const isOld = () => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > oldMs;
  if (entry.isFile() && !built.includes(path.slice(dist.length)) && isOld()) rmSync(path, { force: true });
}

function depthOf(file: string): number {
  return file.split("/").length;
}
