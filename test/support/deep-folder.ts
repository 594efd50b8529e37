import { execFileSync } from "node:child_process";

/** A command for a shell that makes a folder with files whose paths are too long for the system. */
export const makesDeep = (path: string) =>
  [
    `mkdir -p ${path}; cd ${path}; echo near > near.txt; n=$(printf %0200d 0); i=0`,
    "while [ $i -lt 60 ]; do mkdir $n && cd -P ./$n || exit 3; i=$((i+1)); done",
    "echo far > far.txt",
  ].join("; ");

export function makeDeep(folder: string, path: string): void {
  execFileSync("sh", ["-c", makesDeep(path)], { cwd: folder });
}
