"use strict";
const report = require("./report.cjs");

const outcomes = { passed: "pass", failed: "fail" };

/** A reporter as Jest wants it. */
module.exports = class {
  onRunStart() {
    try {
      this.runner = report.open("jest");
    } catch {}
  }

  onRunComplete(_, { testResults }) {
    try {
      for (const file of testResults) this.reportFile(file);
      this.runner.end();
    } catch {}
  }

  reportFile({ testFilePath, testResults, testExecError, displayName }) {
    // The same file may be run once for each project.
    const project = displayName?.name ? [`(${displayName.name})`] : [];
    for (const { ancestorTitles, title, status } of testResults)
      this.runner.test(testFilePath, [...project, ...ancestorTitles, title], outcomes[status] ?? "skip");
    if (testExecError && testResults.length === 0) this.runner.test(testFilePath, project, "fail");
  }
};
