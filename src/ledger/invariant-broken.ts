/** A change that must never have been made: a mistake in the program, not in its input. */
export class InvariantBroken extends Error {
  override readonly name = "InvariantBroken";
}
