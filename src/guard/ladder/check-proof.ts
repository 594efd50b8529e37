import { randomBytes } from "node:crypto";
import { get } from "node:http";
import { readHttpAccess } from "../../workspace/state/http-access.ts";

const msMax = 1000;

/**
 * Why hooks over HTTP cannot be trusted; undefined where they can, or nobody uses them. While no server runs, any
 * program of any user can take its port, and would be told the token.
 */
export async function whyUnproven(folder: string): Promise<string | undefined> {
  const access = readHttpAccess(folder);
  if (access === undefined) return undefined;
  const nonce = randomBytes(24).toString("base64url");
  const said = await ask(access.port, nonce).catch((error: Error) => error);
  if (said === access.proofOf(nonce)) return undefined;
  const why = said instanceof Error ? said.message : "it cannot prove that it is lockstep";
  return `what answers hooks at 127.0.0.1:${access.port} is not this repository's server: ${why}`;
}

function ask(port: number, nonce: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(
      { host: "127.0.0.1", port, path: "/proof", headers: { "x-lockstep-nonce": nonce }, timeout: msMax },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
          if (text.length > 1000) request.destroy(new Error("its answer has no end"));
        });
        response.on("end", () => resolve(text)).on("error", reject);
      },
    );
    request.on("timeout", () => request.destroy(new Error("it gives no answer"))).on("error", reject);
  });
}
