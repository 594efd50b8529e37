// As old-fashioned as lockstep.cjs: it answers a client's hook where the guard itself cannot be loaded.
"use strict";

var fs = require("fs");
var path = require("path");

// The client's own refusal where anything is active and the call is still to be made, else undefined.
module.exports = function refusalFor(client) {
  if (!isActive(process.env)) return undefined;
  var forms = require("../dist/refusals.json");
  var form = Object.prototype.hasOwnProperty.call(forms, client) ? forms[client] : forms.claude;
  var payload = readInput();
  return payload === "" || payload.indexOf(form.before) >= 0 ? form.document : undefined;
};

function isActive(env) {
  if (env.LOCKSTEP_SOCKET || env.LOCKSTEP_TASK) return true;
  return [env.CLAUDE_PROJECT_DIR, env.GEMINI_PROJECT_DIR, env.COPILOT_PROJECT_DIR, process.cwd()].some(
    function (start) {
      return start && isActiveAbove(path.resolve(start));
    },
  );
}

function isActiveAbove(folder) {
  var above = path.dirname(folder);
  var own = [path.join(gitFolder(folder), "lockstep"), path.join(folder, ".lockstep/state")];
  var shown = own.some(function (state) {
    return fs.existsSync(path.join(state, "active"));
  });
  return shown || (above !== folder && isActiveAbove(above));
}

// All worktrees of a repository share one.
function gitFolder(folder) {
  var git = path.join(folder, ".git");
  try {
    var named = /^gitdir: (.*)/.exec(fs.readFileSync(git, "utf8"));
    return named ? path.resolve(folder, named[1]).replace(/\/worktrees\/[^/]*$/, "") : git;
  } catch (error) {
    return git;
  }
}

// What cannot be read may be any call.
function readInput() {
  try {
    return fs.readFileSync(0, "utf8");
  } catch (error) {
    return "";
  }
}
