#!/usr/bin/env node
// Plain and old-fashioned on purpose: this file must run on any Node, to say that it is too old.
"use strict";

var version = process.versions.node.split(".");
var hooked = process.argv[2] === "hook";

// At once and without a stream: a full or closed pipe must not change the exit code.
function print(descriptor, text) {
  try {
    require("fs").writeSync(descriptor, text);
  } catch (error) {
    // Nobody is listening; the exit code still says it.
  }
}

function fail(reason) {
  process.exitCode = 2;
  // A hook that says nothing lets the call through in most clients.
  var verdict = { allow: false, code: "E-INTERNAL", reason: reason, details: {} };
  if (hooked) print(1, JSON.stringify(verdict) + "\n");
  print(2, "lockstep: E-INTERNAL: " + reason + "\n");
}

function notLoaded(error) {
  var missing = error && /MODULE_NOT_FOUND/.test(error.code);
  fail(
    missing ? "is not built yet: run `npm run build` first" : "could not start: " + (error && error.message),
  );
}

if (Number(version[0]) < 22 || (version[0] === "22" && Number(version[1]) < 18)) {
  fail("needs Node 22.18 or newer, this is " + process.version);
} else if (hooked) {
  try {
    require("../dist/hook.cjs");
  } catch (error) {
    notLoaded(error);
  }
} else {
  import("../dist/main.js").catch(notLoaded);
}
