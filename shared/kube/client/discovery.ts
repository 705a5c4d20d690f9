import * as z from "zod";
import { callBudget, withoutCallBudget } from "../../base/outbound/callBudget.ts";
import type { ApiResource, CallOptions, KindRef } from "./ClusterClient.ts";
import { ClusterKindUnknown, ClusterNotFound } from "./errors.ts";
import { wellKnownResources } from "./wellKnownResources.ts";
import type { Transport } from "./wire/transport.ts";
import { transportError } from "./wire/transportError.ts";
import { endOf, unlessAborted } from "./wire/unlessAborted.ts";

const resourceList = z.object({
  resources: z.array(z.object({ name: z.string(), kind: z.string(), namespaced: z.boolean() })),
});

export interface Discovery {
  resource(kind: KindRef, options?: CallOptions): Promise<ApiResource>;
  /** The path of a collection, or of the object that `name` names. */
  path(kind: KindRef, place: { namespace?: string | undefined; name?: string }, options?: CallOptions): Promise<string>;
  /** Asks the cluster again at the next use of a group version: it answered that a path does not exist. */
  forget(apiVersion: string): void;
}

/**
 * Finds the path of a kind; asks once per group version, and again when a kind is not among the answer. Simultaneous
 * callers share an answer, and each waits for it as long as its own limits allow.
 */
export function createDiscovery(transport: Transport): Discovery {
  const groups = new Map<string, Promise<Map<string, ApiResource>>>();

  async function read(apiVersion: string): Promise<Map<string, ApiResource>> {
    try {
      const what = describe(apiVersion);
      const { body } = await transport.send({ what, verb: "discover", method: "GET", path: groupPath(apiVersion) });
      const found = resourceList.parse(body).resources.filter(({ name }) => !name.includes("/"));
      return new Map(found.map(({ kind, name, namespaced }) => [kind, { apiVersion, kind, plural: name, namespaced }]));
    } catch (error) {
      if (error instanceof ClusterNotFound) return new Map();
      throw error;
    }
  }

  function ask(apiVersion: string): Promise<Map<string, ApiResource>> {
    const asked = withoutCallBudget(() => read(apiVersion));
    groups.set(apiVersion, asked);
    asked.catch(() => {
      if (groups.get(apiVersion) === asked) groups.delete(apiVersion);
    });
    return asked;
  }

  async function resource({ apiVersion, kind }: KindRef, options: CallOptions = {}): Promise<ApiResource> {
    const known = wellKnownResources.get(`${apiVersion}/${kind}`);
    if (known !== undefined) return known;
    const found = await withinLimits(describe(apiVersion), options, async () => {
      const cached = groups.get(apiVersion);
      return (cached && (await cached).get(kind)) ?? (await ask(apiVersion)).get(kind);
    });
    if (found === undefined)
      throw new ClusterKindUnknown(
        `the cluster has no kind ${kind} in ${apiVersion}: install its CustomResourceDefinition or correct apiVersion and kind`,
      );
    return found;
  }

  return {
    resource,
    async path(kind, { namespace, name }, options = {}) {
      const { plural, namespaced } = await resource(kind, options);
      const scope = namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
      const last = name === undefined ? "" : `/${encodeURIComponent(name)}`;
      return `${groupPath(kind.apiVersion)}${scope}/${plural}${last}`;
    },
    forget: (apiVersion) => void groups.delete(apiVersion),
  };
}

/** What is shared goes on when one of those who wait for it gives up. */
async function withinLimits<T>(
  what: string,
  { deadlineSeconds, signal }: CallOptions,
  share: () => Promise<T>,
): Promise<T> {
  const late = deadlineSeconds === undefined ? undefined : AbortSignal.timeout(Math.ceil(deadlineSeconds * 1000));
  const limits = AbortSignal.any([late, signal, callBudget()].filter((limit) => limit !== undefined));
  try {
    return await unlessAborted(share(), limits);
  } catch (error) {
    throw limits.aborted ? transportError(error, what, endOf(limits)) : error;
  }
}

function describe(apiVersion: string): string {
  return `discover ${apiVersion}`;
}

/** `/api/v1` or `/apis/<group>/<version>`. */
function groupPath(apiVersion: string): string {
  const segments = apiVersion.split("/").map(encodeURIComponent);
  return segments.length === 1 ? `/api/${segments[0]}` : `/apis/${segments.join("/")}`;
}
