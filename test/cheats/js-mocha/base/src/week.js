const { addDays } = require("./days.js");

/** The Monday of the week that a date is in. */
function mondayOf(date) {
  const day = new Date(`${date}T00:00:00Z`).getUTCDay();
  return addDays(date, -((day + 6) % 7));
}

async function weekOf(date) {
  const monday = mondayOf(date);
  return Array.from({ length: 7 }, (_, at) => addDays(monday, at));
}

module.exports = { mondayOf, weekOf };
