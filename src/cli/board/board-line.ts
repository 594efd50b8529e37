import { boardAddress } from "../../board/access/board-port.ts";
import { style } from "../output/style.ts";

/** The command comes first: the address answers only after it, and only with the token that the command makes. */
export function boardLine(stateFolder: string): string {
  return style.dim(`board: \`lockstep board\` opens ${boardAddress(stateFolder)}`);
}
