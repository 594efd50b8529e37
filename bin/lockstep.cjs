#!/usr/bin/env node
// Plain and old-fashioned on purpose: this file must run on any Node, to say that it is too old.
"use strict";

var version = process.versions.node.split(".");
var hooked = process.argv[2] === "hook";

function fail(reason) {
  // A hook that says nothing lets the call through in most clients.
  if (hooked) {
    var verdict = { allow: false, code: "E-INTERNAL", reason: reason, details: {} };
    process.stdout.write(JSON.stringify(verdict) + "\n");
  }
  process.stderr.write("lockstep: " + reason + "\n");
  process.exitCode = 2;
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
