"use strict";
// Test runners that are programs of their own, known by the script that Node was started with.
const { realpathSync } = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { isMainThread } = require("node:worker_threads");
const report = require("./report.cjs");

const scripts = [
  [/[\\/]vitest[\\/]vitest\.mjs$/, watchVitest],
  [/[\\/](?:jest|jest-cli)[\\/]bin[\\/]jest\.js$/, watchJest],
  [/[\\/]react-scripts[\\/](?:bin[\\/]react-scripts|scripts[\\/]test)\.js$/, watchJest],
  [/[\\/]mocha[\\/](?:bin[\\/]_?mocha(?:\.c?js)?|lib[\\/]cli[\\/]cli\.c?js)$/, watchMocha],
];

/** False if the script does not belong to a runner. */
exports.watch = (main) => {
  const script = realpathSync(main);
  const [, watch] = scripts.find(([pattern]) => pattern.test(script)) ?? [];
  if (watch !== undefined && isMainThread) watch();
  return watch !== undefined;
};

/** Its class for a whole run is not exported, so the module that defines it hands it over. */
function watchVitest() {
  const key = `${process.pid}.${process.hrtime.bigint()}`;
  globalThis[Symbol.for(key)] = (Vitest) => {
    delete globalThis[Symbol.for(key)];
    require("./vitest.cjs").report(Vitest);
  };
  const isPartOf = (url) => url.includes("/vitest/dist/");
  const handOver = (source) => `${source}\n;globalThis[Symbol.for(${JSON.stringify(key)})]?.(Vitest);\n`;
  if (Module.registerHooks !== undefined) {
    const hooks = Module.registerHooks({
      load(url, context, next) {
        const loaded = next(url, context);
        if (!isPartOf(url) || loaded.format !== "module" || loaded.source == null) return loaded;
        const source = loaded.source.toString();
        if (!/^class Vitest \{/m.test(source)) return loaded;
        hooks.deregister();
        return { ...loaded, source: handOver(source) };
      },
    });
  } else if (Module.register !== undefined) {
    Module.register("./vitest-load.mjs", require("node:url").pathToFileURL(__filename), { data: { key } });
  }
}

function watchJest() {
  onLoad((request, loaded) => {
    if (request !== "jest-config" || typeof loaded.readConfigs !== "function") return false;
    const { readConfigs } = loaded;
    loaded.readConfigs = async function (...words) {
      const configs = await Reflect.apply(readConfigs, this, words);
      try {
        const { globalConfig } = configs;
        const reporters = [
          ...(globalConfig.reporters ?? [["default", {}]]),
          [path.join(__dirname, "jest.cjs"), {}],
        ];
        const added = { ...configs, globalConfig: Object.freeze({ ...globalConfig, reporters }) };
        report.restoreEnvironment();
        return added;
      } catch {
        return configs;
      }
    };
    return true;
  });
}

function watchMocha() {
  onLoad((_, loaded) => {
    if (typeof loaded !== "function" || loaded.name !== "Mocha" || !loaded.prototype.run) return false;
    require("./mocha.cjs").report(loaded);
    return true;
  });
}

/** Shows each module that is required, until `take` has what it was waiting for. */
function onLoad(take) {
  const load = Module._load;
  let isDone = false;
  const loadAndShow = function (...words) {
    const loaded = Reflect.apply(load, this, words);
    if (isDone) return loaded;
    try {
      isDone = take(words[0], loaded);
      if (isDone && Module._load === loadAndShow) Module._load = load;
    } catch {}
    return loaded;
  };
  Module._load = loadAndShow;
}
