#!/usr/bin/env node
// Plain and old-fashioned on purpose: this file must run on any Node, to say that it is too old.
"use strict";

var major = Number(process.versions.node.split(".")[0]);
var minor = Number(process.versions.node.split(".")[1]);
var point = process.argv[2] === "hook";

function fail(reason) {
  // A hook that says nothing lets the call through in most clients.
  if (point) {
    var verdict = { allow: false, code: "E-INTERNAL", reason: reason, details: {} };
    process.stdout.write(JSON.stringify(verdict) + "\n");
  }
  process.stderr.write("lockstep: " + reason + "\n");
  process.exitCode = 2;
}

if (major < 22 || (major === 22 && minor < 18)) {
  fail("needs Node 22.18 or newer, this is " + process.version);
} else {
  import(point ? "../dist/hook.js" : "../dist/main.js").catch(function (error) {
    var missing = error && error.code === "ERR_MODULE_NOT_FOUND";
    fail(missing ? "is not built yet: run `npm run build` first" : "could not start: " + (error && error.message));
  });
}
