"use strict";
const report = require("./report.cjs");

const lastEvents = ["onTestRunEnd", "onFinished"];

exports.report = (Vitest) => {
  const { start, report: tell } = Vitest.prototype;
  let runner;
  Vitest.prototype.start = function (...words) {
    try {
      report.restoreEnvironment();
      runner = report.open("vitest");
    } catch {}
    return Reflect.apply(start, this, words);
  };
  Vitest.prototype.report = function (...words) {
    try {
      if (runner !== undefined && lastEvents.includes(words[0])) {
        for (const file of this.state.getFiles()) reportFile(runner, file);
        runner.end();
        runner = undefined;
      }
    } catch {}
    return Reflect.apply(tell, this, words);
  };
};

function reportFile(runner, file) {
  // The same file may be run once for each project.
  const names = file.projectName ? [`(${file.projectName})`] : [];
  const count = reportTasks(runner, file.filepath, file.tasks ?? [], names);
  if (count === 0 && file.result?.state === "fail") runner.test(file.filepath, names, "fail");
}

function reportTasks(runner, file, tasks, above) {
  let count = 0;
  for (const task of tasks) {
    const names = [...above, task.name];
    if (task.type === "suite") {
      count += reportTasks(runner, file, task.tasks, names);
      continue;
    }
    count += 1;
    const outcome = outcomeOf(task);
    if (outcome === undefined) runner.cut(`${names.join(" > ")} has no result`);
    else runner.test(file, names, outcome);
  }
  return count;
}

function outcomeOf({ mode, fails, result }) {
  if (result?.state === "fail") return "fail";
  if (mode === "skip" || mode === "todo" || fails) return "skip";
  return { pass: "pass", skip: "skip", todo: "skip" }[result?.state];
}
