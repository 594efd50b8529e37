import type { Row } from "../row/row.ts";
import { archives } from "./archives.ts";
import { compilers } from "./compilers.ts";
import { containers } from "./containers.ts";
import { converters } from "./converters.ts";
import { copying } from "./copying.ts";
import { databases } from "./databases.ts";
import { editors } from "./editors.ts";
import { files } from "./files.ts";
import { formatters } from "./formatters.ts";
import { gh } from "./gh.ts";
import { languages } from "./interpreters.ts";
import { linters } from "./linters.ts";
import { machine } from "./machine.ts";
import { network } from "./network.ts";
import { npms } from "./npm.ts";
import { packages } from "./packages.ts";
import { readers } from "./readers.ts";
import { runners } from "./runners.ts";
import { textPrograms } from "./text.ts";
import { wrappers } from "./wrappers.ts";

/** The rows of the guard's own table. A name is either in one row or has a program in code. */
export const builtInRows: readonly Row[] = [
  readers,
  languages,
  packages,
  npms,
  runners,
  compilers,
  converters,
  formatters,
  linters,
  databases,
  network,
  archives,
  containers,
  gh,
  machine,
  wrappers,
  textPrograms,
  editors,
  files,
  copying,
].flat();
