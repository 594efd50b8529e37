"use strict";
// Test runners that are programs of their own, known by the script that Node was started with.
const fs = require("node:fs");
const Module = require("node:module");
const report = require("./report.cjs");

exports.watch = () => {};
