import { randomBytes } from "node:crypto";
import { get } from "node:http";
import { readHttpAccess } from "../../workspace/state/http-access.ts";

const msMax = 1000;

/**
 * Why hooks over HTTP cannot be trusted; undefined if they can, or if they are not used. While no server runs, a program
 * of any user can take its port, and would receive the token.
 */
export async function whyUnproven(folder: string): Promise<string | undefined> {
  const access = readHttpAccess(folder);
  if (access === undefined) return undefined;
  const nonce = randomBytes(24).toString("base64url");
  const proof = await ask(access.port, nonce).catch((error: Error) => error);
  if (proof === access.proofOf(nonce)) return undefined;
  const why = proof instanceof Error ? proof.message : "it cannot prove that it is lockstep";
  return `the process that answers hooks at 127.0.0.1:${access.port} is not this repository's server: ${why}`;
}

function ask(port: number, nonce: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(
      { host: "127.0.0.1", port, path: "/proof", headers: { "x-lockstep-nonce": nonce }, timeout: msMax },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
          if (text.length > 1000) request.destroy(new Error("its answer is too long"));
        });
        response.on("end", () => resolve(text)).on("error", reject);
      },
    );
    request.on("timeout", () => request.destroy(new Error("it did not answer in time"))).on("error", reject);
  });
}
