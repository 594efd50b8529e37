import { boardAddress } from "../../board/access/board-port.ts";
import { style } from "../output/style.ts";

/** Says first what opens the board: there is no server before that, and the page needs the command's token. */
export function boardLine(stateFolder: string): string {
  return style.dim(`board: \`lockstep board\` opens ${boardAddress(stateFolder)}`);
}
