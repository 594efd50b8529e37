import { connect } from "node:net";

/** Sends raw bytes to a socket, and returns everything that is received until the other side closes. */
export function rawExchange(path: string, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    let text = "";
    socket.setEncoding("utf8").on("data", (piece) => {
      text += piece;
    });
    socket.on("error", reject).on("end", () => {
      resolve(text);
      socket.destroy();
    });
    socket.write(bytes);
  });
}
