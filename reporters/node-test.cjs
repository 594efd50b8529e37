"use strict";
const { EventEmitter } = require("node:events");
const path = require("node:path");
const { Readable } = require("node:stream");
const { fileURLToPath } = require("node:url");
const report = require("./report.cjs");

/** A process that defines tests: a file of `node --test`, or one that was started by itself. */
exports.watchFile = (main) => {
  report.restoreEnvironment();
  const state = { queued: 0, finished: 0 };
  const isWhole = () => state.queued > 0 && state.finished === state.queued;
  const runner = report.open("node:test", { file: main, isWhole });
  follow(runner, state, ({ names, outcome }) => runner.test(main, names, outcome));
};

/** The process of `node --test`: its files report their tests themselves, unless they all run in here. */
exports.watchRunner = () => {
  const isAlone = process.execArgv.some(
    (word, at, all) =>
      /^--(?:experimental-)?test-isolation(?:=none)?$/.test(word) &&
      (word.endsWith("=none") || all[at + 1] === "none"),
  );
  report.restoreEnvironment(isAlone ? [] : ["NODE_OPTIONS"]);
  const runner = report.open("node:test");
  follow(runner, {}, ({ file, names, outcome }) => {
    if (isAlone) runner.test(file, names, outcome);
    // The file itself: it defines no tests, or could not be run.
    else if (names.length === 1 && file && path.resolve(names[0]) === file) runner.test(file, [], outcome);
  });
};

/** Node's own stream of test events has no public name: it is known by its first event. */
function follow(runner, state, onTest) {
  const stack = [];
  const handle = (type, data) => {
    if (type === "test:enqueue") state.queued += 1;
    else if (type === "test:start") stack[data.nesting] = data.name;
    else if (type === "test:pass" || type === "test:fail") {
      state.finished += 1;
      if (data.details?.type === "suite") return;
      const names = [...stack.slice(0, data.nesting), data.name];
      onTest({ file: pathOf(data.file), names, outcome: outcomeOf(type, data) });
    } else if (isLast(type, data)) runner.end();
  };
  const emit = EventEmitter.prototype.emit;
  const define = (on, value) =>
    Object.defineProperty(on, "emit", { value, configurable: true, writable: true, enumerable: false });
  const emitAndHandle = function (...words) {
    const [type, data] = words;
    try {
      if (typeof type === "string" && type.startsWith("test:")) handle(type, data);
    } catch {}
    return Reflect.apply(emit, this, words);
  };
  define(Readable.prototype, function (...words) {
    const [type] = words;
    if (typeof type !== "string" || !type.startsWith("test:")) return Reflect.apply(emit, this, words);
    delete Readable.prototype.emit;
    define(Object.getPrototypeOf(this), emitAndHandle);
    return Reflect.apply(emitAndHandle, this, words);
  });
}

/** Node before 22 has no summary. */
function isLast(type, data) {
  if (type === "test:summary") return data.file === undefined;
  return type === "test:diagnostic" && data.nesting === 0 && /^duration_ms /.test(data.message);
}

const isSet = (value) => value !== undefined && value !== false;

function outcomeOf(type, { skip, todo, expectFailure }) {
  if (isSet(skip) || isSet(todo) || isSet(expectFailure)) return "skip";
  return type === "test:pass" ? "pass" : "fail";
}

function pathOf(file) {
  return file?.startsWith("file:") ? fileURLToPath(file) : file;
}
