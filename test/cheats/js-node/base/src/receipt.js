import { lineTotal, orderTotal } from "./order.js";
import { format } from "./price.js";

export function receipt(order) {
  const lines = order.lines.map(
    (line) => `${String(line.count).padStart(3)} x ${line.name.padEnd(12)}${format(lineTotal(line)).padStart(8)}`,
  );
  return [...lines, `${"total".padEnd(18)}${format(orderTotal(order)).padStart(8)}`, ""].join("\n");
}
