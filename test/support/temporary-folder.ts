import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface TemporaryFolder extends Disposable {
  readonly path: string;
  write(file: string, text: string): string;
}

/** A folder outside any repository, removed at the end of its block. */
export function temporaryFolder(
  files: Readonly<Record<string, string>> = {},
  where = tmpdir(),
): TemporaryFolder {
  const path = realpathSync(mkdtempSync(join(where, "lockstep-test-")));
  const write = (file: string, text: string) => {
    const full = join(path, file);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  return {
    path,
    write,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}
