"use strict";

var fs = require("fs");
var path = require("path");
var vm = require("vm");

var before = "(function(exports,require,module,__filename,__dirname,keepCompiled){";
var after = "\n})";
/** V8 reads its data in place only if that starts at a multiple of 8. */
var headSize = 128;

/**
 * Runs `file` with what V8 compiled of it in an earlier process. Node's own cache is filled before a program runs, so it
 * lacks every function that is first called later; this one is filled by `keepCompiled`, which the program calls late.
 * `kept` is a file that only this user can change.
 */
module.exports = function runCompiled(file, kept) {
  var source = readSource(file);
  var found = readKept(kept, source.identity);
  if (found === undefined) makeFolder(path.dirname(kept));
  var options = { filename: file, columnOffset: -before.length, cachedData: found && found.data };
  var script = new vm.Script(source.text, options);
  var isKept = found !== undefined && !script.cachedDataRejected;
  var isWholeKept = isKept && found.isWhole;
  function keepCompiled(isWhole) {
    if (isWholeKept || (isKept && !isWhole)) return;
    isKept = true;
    isWholeKept = isWhole;
    writeKept(kept, headOf(source.identity, isWhole), script.createCachedData());
  }
  var made = { exports: {} };
  var load = require("module").createRequire(file);
  script.runInThisContext()(made.exports, load, made, file, path.dirname(file), keepCompiled);
};

/** A build is ASCII, which `latin1` reads faster. The text is made in one piece, as V8 would copy a joined one. */
function readSource(file) {
  var descriptor = fs.openSync(file, "r");
  try {
    var found = fs.fstatSync(descriptor, { bigint: true });
    var size = Number(found.size);
    var whole = Buffer.allocUnsafeSlow(before.length + size + after.length);
    whole.latin1Write(before, 0);
    for (var at = 0; at < size; ) {
      var read = fs.readSync(descriptor, whole, before.length + at, size - at, at);
      if (read === 0) throw new Error(file + " became shorter while it was read");
      at += read;
    }
    whole.latin1Write(after, before.length + size);
    return { text: whole.latin1Slice(), identity: identityOf(found) };
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Of one version of a file. V8 itself compares its own version and its flags. */
function identityOf(found) {
  return [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ");
}

function headOf(identity, isWhole) {
  return (identity + (isWhole ? " whole" : " part")).padEnd(headSize);
}

function readKept(kept, identity) {
  try {
    var file = readOwn(kept);
  } catch (error) {
    return undefined; // not kept yet
  }
  if (file === undefined) return undefined;
  var head = file.toString("latin1", 0, headSize);
  var isWhole = head === headOf(identity, true);
  if (!isWhole && head !== headOf(identity, false)) return undefined;
  return { data: file.subarray(headSize), isWhole: isWhole };
}

/** V8 runs what it reads: nobody else may have written the file. */
function readOwn(file) {
  var descriptor = fs.openSync(file, "r");
  try {
    var found = fs.fstatSync(descriptor);
    var isOwn =
      process.geteuid === undefined || (found.uid === process.geteuid() && (found.mode & 0o022) === 0);
    return isOwn ? fs.readFileSync(descriptor) : undefined;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Not at the end, when the folder may have been removed with the state that it was part of. */
function makeFolder(folder) {
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    // Then nothing is kept.
  }
}

/** Without it, commands only start slower: a full disk or a folder without rights stops none. */
function writeKept(kept, head, data) {
  var made = kept + "." + process.pid;
  try {
    writeDurably(made, [Buffer.from(head, "latin1"), data]);
    fs.renameSync(made, kept);
  } catch (error) {
    if (fs.existsSync(made)) fs.unlinkSync(made);
  }
}

/** V8 does not check what it reads, so a crash of the machine must not leave a part of it under the final name. */
function writeDurably(file, buffers) {
  var descriptor = fs.openSync(file, "wx", 0o600);
  try {
    fs.writeFileSync(descriptor, Buffer.concat(buffers));
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
