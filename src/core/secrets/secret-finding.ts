/** The position of a secret in a text. It never contains the secret itself, so it can be logged and stored. */
export interface SecretFinding {
  readonly rule: string;
  /** UTF-16 offset of the first character of the secret. */
  readonly start: number;
  /** UTF-16 offset after the last character of the secret. */
  readonly end: number;
}
