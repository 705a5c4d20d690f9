import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import type { OutboundPolicy } from "../settings/outboundPolicy.ts";
import { checkAddress, type Scheme } from "./checkAddress.ts";
import type { OutboundRefused } from "./outboundErrors.ts";

export type Resolve = (
  host: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * A `lookup` for `net.connect`: resolves once and hands over only addresses that passed the policy, so that the socket
 * connects to what was checked and a name cannot be bound to something else in between.
 */
export function pinnedLookup(policy: OutboundPolicy, scheme: Scheme, resolve: Resolve = systemLookup): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, options.all === true ? [] : "", 0);
      const allowed: LookupAddress[] = [];
      let refused: OutboundRefused | undefined;
      for (const found of addresses) {
        const problem = checkAddress(policy, { host, address: found.address, scheme });
        if (problem === undefined) allowed.push(found);
        else refused ??= problem;
      }
      const [first] = allowed;
      if (first === undefined) {
        const none: NodeJS.ErrnoException = Object.assign(new Error(`${host} has no address`), { code: "ENOTFOUND" });
        return callback(refused ?? none, options.all === true ? [] : "", 0);
      }
      if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
