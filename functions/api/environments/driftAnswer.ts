import type * as z from "zod";
import { unixSeconds } from "../../../shared/base/common/dateTime.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { readDrift } from "../../../shared/environments/read/readDrift.ts";
import type { EnvironmentName } from "../../../shared/environments/requireEnvironment.ts";
import { isRecord } from "../../../shared/manifest/schema/kubeObject.ts";
import type { driftRoutes } from "./driftRoutes.ts";

type Answer = z.input<ReturnType<typeof driftRoutes>["drift"]["response"]>;
type Json = z.core.util.JSONType;

/**
 * The drift of an environment as it is sent; a field that is not there is null. Of a cluster that cannot be read only
 * that is known.
 */
export async function driftAnswer(name: EnvironmentName): Promise<Answer> {
  try {
    return toAnswer(await readDrift(name));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 6078) throw error;
    return { in_sync: false, checked_at: nowSeconds(), error: error.description, objects: [] };
  }
}

function toAnswer(objects: Awaited<ReturnType<typeof readDrift>>): Answer {
  return {
    in_sync: objects.length === 0,
    checked_at: nowSeconds(),
    error: "",
    objects: objects.map(({ serviceName, fields, ...object }) => ({
      service_name: serviceName,
      ...object,
      fields: fields.map(({ path, applied, live, manager, time, added = false }) => ({
        path,
        applied: shown(applied),
        live: shown(live),
        manager,
        added,
        time: unixSeconds(time),
      })),
    })),
  };
}

/** Integers that JavaScript's numbers cannot hold as texts: most readers of JSON would change them. */
function shown(value: unknown): Json {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(shown);
  if (!isRecord(value)) return (value ?? null) as Json;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shown(inner)]));
}
