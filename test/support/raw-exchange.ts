import { connect } from "node:net";

/** Sends bytes to a socket as they are, and gives everything that comes back before the other side ends. */
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
