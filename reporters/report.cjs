"use strict";
const fs = require("node:fs");
const path = require("node:path");

// Taken now: tests replace such functions.
const { openSync, writeSync, readFileSync } = fs;
const { stringify, parse } = JSON;
const { env, pid } = process;
const bytesMax = 64 * 1024;

/**
 * Lines of one runner in this process. The first is written at once: without the last one, the list is cut. A hook
 * that exits after the last test cuts nothing: `isWhole` says whether every test that is known has its outcome.
 */
exports.open = (runner, { file = "", isWhole = () => false } = {}) => {
  const name = `${pid}-${process.hrtime.bigint().toString(36)}.jsonl`;
  const fd = openSync(path.join(__dirname, "out", name), "a");
  let waiting = "";
  const flush = () => {
    try {
      if (waiting !== "") writeSync(fd, waiting);
      waiting = "";
    } catch {
      // The file system may be a mock at the moment.
    }
  };
  const add = (...words) => {
    waiting += `${stringify(words)}\n`;
    if (waiting.length > bytesMax) flush();
  };
  let hasEnded = false;
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    add("end");
    flush();
  };
  process.on("exit", () => {
    if (isWhole()) end();
    flush();
  });
  add("begin", runner, Date.now(), file);
  flush();
  return {
    test: (file, names, outcome) => add("test", file || "", names.map(String), outcome),
    cut: (why) => add("cut", why),
    end,
  };
};

/** What tests start sees the environment as it was before the reporters came. */
exports.restoreEnvironment = (except = []) => {
  const pieces = parse(readFileSync(path.join(__dirname, "environment.json"), "utf8"));
  for (const { name, piece, separator } of pieces) {
    const value = env[name];
    if (except.includes(name) || value === undefined || !value.includes(piece)) continue;
    if (value === piece) delete env[name];
    else env[name] = value.replace(piece + separator, () => "").replace(separator + piece, () => "");
  }
};
