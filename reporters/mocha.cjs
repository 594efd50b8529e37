"use strict";
const report = require("./report.cjs");

/** Mocha has one reporter, the project's: this one listens beside it. */
exports.report = (Mocha) => {
  const { run } = Mocha.prototype;
  Mocha.prototype.run = function (...words) {
    const Reporter = this._reporter;
    if (typeof Reporter === "function") this._reporter = listening(Reporter);
    try {
      return Reflect.apply(run, this, words);
    } finally {
      this._reporter = Reporter;
    }
  };
};

function listening(Reporter) {
  return new Proxy(Reporter, {
    construct(target, words) {
      try {
        listen(words[0]);
      } catch {}
      return new target(...words);
    },
  });
}

function listen(events) {
  report.restoreEnvironment();
  let count = 0;
  const runner = report.open("mocha", { isWhole: () => count > 0 && count === events.total });
  const tell = (outcome) => (test) => {
    count += 1;
    try {
      runner.test(test.file, test.titlePath(), outcome);
    } catch {}
  };
  events.on("pass", tell("pass"));
  events.on("fail", tell("fail"));
  events.on("pending", tell("skip"));
  events.once("end", () => runner.end());
}
