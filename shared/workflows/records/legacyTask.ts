import type { SealedSecret } from "../../base/aws/secrets/sealedSecret.ts";

/** What a creation call of the older API said of a task (contract I 10.5). */
export interface LegacyTask {
  envName: string;
  targets: LegacyTarget[];
  /** JSON of `LegacyCallbackSettings`, sealed for `callbackOwner`. */
  callback?: SealedSecret;
}

/** A service that is to be built, and from what. */
export interface LegacyTarget {
  name: string;
  serviceType: string;
  repos: { repoName: string; branch: string; pr: number }[];
}

/** Where the end is reported. */
export interface LegacyCallbackSettings {
  /** Percent-encoded, as it was given. */
  url: string;
  /** Key of the signature; empty: none. */
  secret: string;
  vars: Record<string, unknown> | null;
}

export const callbackOwner = (recordId: string) => ({ record: `task:${recordId}`, field: "callback" });
