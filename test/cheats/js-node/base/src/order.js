import { discounted, withTax } from "./price.js";

/** What one line of an order costs. */
export function lineTotal({ price, count, discount = 0 }) {
  return discounted(price * count, discount);
}

export function orderTotal({ lines, tax }) {
  return withTax(
    lines.reduce((sum, line) => sum + lineTotal(line), 0),
    tax,
  );
}

/** The mean price of what was ordered, in cents and parts of them. */
export function meanPrice({ lines }) {
  const count = lines.reduce((sum, line) => sum + line.count, 0);
  return lines.reduce((sum, line) => sum + line.price * line.count, 0) / count;
}
