/** FNV-1a, 64 bits in two halves. Identifies a text; not a cryptographic hash. */
export function hashText(text: string): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of new TextEncoder().encode(text)) {
    // The prime is 2^40 + 435, so every product below stays exact in a double.
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * 435;
    high = (high * 435 + Math.floor(product / 2 ** 32) + mixed * 256) >>> 0;
    low = product >>> 0;
  }
  return hex(high) + hex(low);
}

function hex(half: number): string {
  return half.toString(16).padStart(8, "0");
}
