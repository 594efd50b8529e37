/** Prices are whole cents. */
export function withTax(cents, percent) {
  return Math.round(cents * (1 + percent / 100));
}

export function discounted(cents, percent) {
  if (percent < 0 || percent > 100) throw new RangeError(`no such discount: ${percent}`);
  return Math.round(cents * (1 - percent / 100));
}

export function format(cents) {
  const [sign, size] = cents < 0 ? ["-", -cents] : ["", cents];
  return `${sign}${Math.floor(size / 100)}.${String(size % 100).padStart(2, "0")}`;
}
