import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { holdLease, releaseLease } from "../../base/store/leases.ts";
import { RetryableClusterError } from "../../kube/client/errors.ts";

/** A Helm that was killed holds its release no longer than this. */
const leaseSeconds = 20;
const renewMs = 5_000;
const longestWaitMs = 60_000;

/** Another Helm works on the release. */
class ReleaseBusy extends RetryableClusterError {}

/** Runs `work` while no other process touches the release: two Helms at once would each see the other's half. */
export async function holdingRelease<T>(
  { environmentId, service }: { environmentId: string; service: string },
  work: () => Promise<T>,
): Promise<T> {
  const name = `helm-release#${environmentId}#${service}`;
  const holder = randomUUID();
  const ended = Date.now() + longestWaitMs;
  while (!(await holdLease(name, holder, leaseSeconds))) {
    if (Date.now() > ended) throw new ReleaseBusy(`another change of release ${service} is under way`);
    await delay(500);
  }
  const renewing = setInterval(() => void holdLease(name, holder, leaseSeconds).catch(() => undefined), renewMs);
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    await releaseLease(name, holder);
  }
}
