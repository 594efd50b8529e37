/** A change that must never be made. It is a bug in the program, not an error in its input. */
export class InvariantBroken extends Error {
  override readonly name = "InvariantBroken";
}
