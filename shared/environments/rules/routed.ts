import type { CallRules } from "../../kube/mesh/familyObjects.ts";
import type { PortalServer } from "./portal.ts";

/** What an environment is to sub-environments; calls are routed while it is `enabling` or `enabled`. */
type ShareState = "enabling" | "enabled" | "disabling" | "disabled";

/** The part of an environment in the routing of calls (contract P 9). */
export interface Routed {
  /** A base of sub-environments, or on its way to be one or to be none; absent or `disabled` for all others. */
  share?: ShareState;
  /** The base that this is a sub-environment of. */
  baseEnv?: string;
  /** A sub-environment that calls are led to. */
  joined?: boolean;
  /** Hosts outside of the mesh at which its Services can be called (contract P 9.5). */
  portals?: Readonly<Record<string, readonly PortalServer[]>>;
  /** Of a base: where calls without a mark go. */
  calls?: CallRules;
  /** Routes of its mesh could not be set when its last change ended: `error` says why. */
  unrouted?: boolean;
}
