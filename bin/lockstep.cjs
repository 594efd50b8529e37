#!/bin/sh
":" //; exec node --min-semi-space-size=16 --max-semi-space-size=16 --initial-old-space-size=64 "$0" "$@"
// The line above is a command for the shell, and a string and a comment for Node. With these flags, a short command ends
// before its first garbage collection, which saves a fifth of its processor time, and one that runs for hours collects its
// garbage early enough to need a third less memory.
// Plain and old-fashioned on purpose: this file must run on any Node, to say that it is too old.
"use strict";

var version = process.versions.node.split(".");
var hooked = process.argv[2] === "hook";
var guarded = process.argv[2] === "guard";

// At once and without a stream: a full or closed pipe must not change the exit code.
function print(descriptor, text) {
  try {
    require("fs").writeSync(descriptor, text);
  } catch (error) {
    // Nobody is listening; the exit code still says it.
  }
}

function fail(code, reason) {
  process.exitCode = 2;
  // A hook that says nothing lets the call through in most clients.
  var verdict = { allow: false, code: code, reason: reason, details: {} };
  if (hooked) print(1, JSON.stringify(verdict) + "\n");
  if (guarded) refuseCall();
  print(2, "lockstep: " + code + ": " + reason + "\n");
}

function refuseCall() {
  try {
    var refusal = require("./guard-refusal.cjs")(process.argv[3]);
    if (refusal === undefined) process.exitCode = 0;
    else print(1, JSON.stringify(refusal) + "\n");
  } catch (error) {
    // It is not built: most clients take the exit code and the reason alone.
  }
}

function notLoaded(error) {
  var missing = error && /MODULE_NOT_FOUND/.test(error.code);
  fail(
    "E-INTERNAL",
    missing ? "this checkout is not built yet: run `npm run build` first" : "Lockstep could not start: " + (error && error.message),
  );
}

// A checkout has a Node of its own, whatever the machine has.
function runWith(node) {
  var flags = /exec node (.*?) "/.exec(require("fs").readFileSync(__filename, "utf8"))[1].split(" ");
  var words = flags.concat([__filename], process.argv.slice(2));
  var child = require("child_process").spawn(node, words, { stdio: "inherit" });
  // The terminal sends it to both: the child decides what it means.
  process.on("SIGINT", function () {});
  ["SIGTERM", "SIGHUP"].forEach(function (signal) {
    process.on(signal, function () {
      child.kill(signal);
    });
  });
  child.on("error", tooOld);
  child.on("exit", function (code, signal) {
    process.exitCode = code === null ? 1 : code;
    if (signal === null) return;
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function tooOld() {
  var reason = "Lockstep needs Node 22.18 or newer; this is " + process.version;
  if (isAsked("-v", "-V", "--version")) print(1, require("../package.json").version + "\n");
  else if (isAsked("-h", "--help", "help"))
    print(
      1,
      "Usage: lockstep COMMAND\n\n" + reason + ". With it, `lockstep --help` lists the commands.\n",
    );
  else fail("E-NODE", reason);
}

function isAsked() {
  return Array.prototype.indexOf.call(arguments, process.argv[2]) >= 0;
}

// Where agents cannot write: in the temporary folder, which Node would use, they could change this program. Undefined where
// the home is unknown or relative: it would be the folder of the project then.
function compiledFolder() {
  var path = require("path");
  try {
    var home = process.env.XDG_STATE_HOME || path.join(require("os").homedir(), ".local", "state");
    var folder = process.env.NODE_COMPILE_CACHE || path.join(home, "lockstep", "compiled");
    return path.isAbsolute(folder) ? folder : undefined;
  } catch (error) {
    return undefined; // this user has no home
  }
}

// Each command has a file of its own, because it needs another part of the program.
function runMain() {
  var folder = compiledFolder();
  if (folder === undefined) return require("../dist/main.cjs");
  var program = require.resolve("../dist/main.cjs");
  var command = /^[a-z][a-z-]{0,19}$/.test(process.argv[2]) ? process.argv[2] : "";
  var name = (program + " " + command).replace(/[^\w.-]/g, "_").slice(-200);
  require("module").enableCompileCache(folder);
  require("./run-compiled.cjs")(
    program,
    require("path").join(folder, "commands-" + process.version + "-" + process.arch, name),
  );
}

if (Number(version[0]) < 22 || (version[0] === "22" && Number(version[1]) < 18)) {
  var own = require("path").join(__dirname, "../node_modules/node/bin/node");
  if (require("fs").existsSync(own)) runWith(own);
  else tooOld();
} else {
  try {
    if (hooked || guarded) require(hooked ? "../dist/hook.cjs" : "../dist/guard.cjs");
    else runMain();
  } catch (error) {
    notLoaded(error);
  }
}
