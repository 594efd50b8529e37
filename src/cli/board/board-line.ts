import { boardAddress } from "../../board/access/board-port.ts";
import { style } from "../output/style.ts";

/** Where the board is, without a token: only `lockstep board` opens it. */
export function boardLine(stateFolder: string): string {
  return style.dim(`board: ${boardAddress(stateFolder)} (\`lockstep board\` opens it)`);
}
