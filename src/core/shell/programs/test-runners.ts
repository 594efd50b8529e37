import { known, literal } from "../text.ts";
import type { Program } from "../types.ts";
import { named, reading, writeFiles, writeTrees } from "./row/describe.ts";

const pytest = reading(
  {
    values:
      "k m n c,config-file o,override-ini p,plugin W,pythonwarnings r,report rootdir confcutdir basetemp junitxml,junit-xml log-file html cov-config cov-report resultlog tb maxfail durations import-mode ignore ignore-glob deselect capture dist",
    glued: "cov",
    flags: "snapshot-update inline-snapshot force-regen x v q s l lf ff sw",
  },
  (options, effects) => {
    effects.opaque("tests run");
    writeFiles(options.all("junitxml", "log-file", "html", "resultlog"), effects);
    writeTrees(options.all("basetemp"), effects);
    for (const setting of options.all("o")) effects.code(setting);
    for (const report of options.all("cov-report")) {
      const target = (known(report) ?? "").split(":")[1];
      if (target !== undefined) writeTrees([literal(target)], effects);
    }
    if (!options.has("snapshot-update", "inline-snapshot", "force-regen")) return;
    writeTrees(options.operands.length === 0 ? [literal(".")] : options.operands, effects);
  },
);

export const testRunners = new Map<string, Program>(named("pytest py.test", pytest));
