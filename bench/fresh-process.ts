import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { childEnvironment } from "./child-environment.ts";

const source = new URL("../src/", import.meta.url).pathname;

/** The cost of the first call in a process that has loaded nothing of Lockstep yet. */
interface FirstCall {
  readonly loadMs: number;
  readonly callMs: number;
}

/** A module of the product, bundled in the same way, with the call to make. */
export interface Subject {
  readonly module: string;
  /** An expression over `module` and `input`. */
  readonly call: string;
  readonly input: string;
}

export interface FreshProcess extends Disposable {
  time(): FirstCall;
}

/** Bundled, because stripping types from every source file would cost more than the measured work. */
export async function freshProcess({ module, call, input }: Subject): Promise<FreshProcess> {
  const folder = temporaryFolder();
  await build({
    entryPoints: { module: join(source, module) },
    outdir: folder.path,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    minifySyntax: true,
    minifyWhitespace: true,
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
  const script = folder.write("time.mjs", timing(join(folder.path, "module.mjs"), call));
  return { time: () => run(script, input), [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

function timing(bundle: string, call: string): string {
  return `const input = process.argv[2];
const start = performance.now();
const module = await import(${JSON.stringify(pathToFileURL(bundle).href)});
const loaded = performance.now();
await ${call};
const done = performance.now();
console.log(JSON.stringify({ loadMs: loaded - start, callMs: done - loaded }));
`;
}

function run(script: string, input: string): FirstCall {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, input], {
    env: childEnvironment(),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`a first call failed: ${stderr}`);
  return JSON.parse(stdout) as FirstCall;
}
