import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../test/support/temporary-folder.ts";

const root = new URL("..", import.meta.url).pathname;

export interface BuiltCommand extends Disposable {
  /** Started as people start it: its first line starts Node. */
  readonly path: string;
}

/** A copy of the built command, so that a build during the benchmark does not replace it. */
export function builtCommand(): BuiltCommand {
  if (!existsSync(join(root, "dist"))) throw new Error("the command is not built yet: run `npm run build`");
  const folder = temporaryFolder();
  const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[] };
  const packed = files.filter((file) => !file.startsWith("!")); // not part of the package
  for (const part of [...packed, "package.json"])
    cpSync(join(root, part), join(folder.path, part), { recursive: true });
  return { path: join(folder.path, "bin", "lockstep.cjs"), [Symbol.dispose]: () => folder[Symbol.dispose]() };
}
