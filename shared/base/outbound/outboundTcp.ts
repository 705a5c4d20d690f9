import { connect, isIP, type Socket } from "node:net";
import type { OutboundPolicy } from "../settings/outboundPolicy.ts";
import { checkAddress } from "./checkAddress.ts";
import { OutboundFailed } from "./outboundErrors.ts";
import { pinnedLookup } from "./pinnedLookup.ts";

export interface OutboundTcp {
  socket: Socket;
  /** Whether the operator allowed the address, so that it may be spoken to without TLS (decisions 5.8). */
  mayBePlain: boolean;
}

/**
 * A TCP connection to a checked address, for protocols that are not HTTP. Nothing has been sent on it yet.
 * @throws OutboundRefused for an address that is not allowed; OutboundFailed when no answer comes in time
 */
export function outboundTcp(
  policy: OutboundPolicy,
  { host, port }: { host: string; port: number },
  timeoutSeconds: number,
): Promise<OutboundTcp> {
  return new Promise((resolve, reject) => {
    if (isIP(host) !== 0) {
      const problem = checkAddress(policy, { host, address: host, scheme: "https:" });
      if (problem !== undefined) return reject(problem);
    }
    const socket = connect({ host, port, lookup: pinnedLookup(policy, "https:") });
    const shown = `${host}:${port}`;
    const fail = (error: NodeJS.ErrnoException) => {
      socket.destroy();
      if (error.name === "OutboundRefused") return reject(error);
      reject(new OutboundFailed(shown, `cannot be reached: ${error.message}`, error.code ?? "UNKNOWN", error));
    };
    socket.setTimeout(timeoutSeconds * 1000, () =>
      fail(Object.assign(new Error(`no answer within ${timeoutSeconds} s`), { code: "ETIMEDOUT" })),
    );
    socket.once("error", fail);
    socket.once("connect", () => {
      socket.setTimeout(0).removeAllListeners("timeout").off("error", fail);
      const plain = { host, address: socket.remoteAddress ?? "", scheme: "http:" } as const;
      resolve({ socket, mayBePlain: checkAddress(policy, plain) === undefined });
    });
  });
}
