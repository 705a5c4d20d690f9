import type * as z from "zod";
import { unixSeconds } from "../../../shared/deploy/detailTimes.ts";
import { readDrift } from "../../../shared/environments/readDrift.ts";
import type { EnvironmentName } from "../../../shared/environments/requireEnvironment.ts";
import { nowSeconds } from "../../../shared/store/ids.ts";
import type { driftRoutes } from "./driftRoutes.ts";

type Answer = z.input<ReturnType<typeof driftRoutes>["drift"]["response"]>;
type Json = z.core.util.JSONType;

/** The drift of an environment as it is sent; a field that is not there is null. */
export async function driftAnswer(name: EnvironmentName): Promise<Answer> {
  const objects = await readDrift(name);
  return {
    in_sync: objects.length === 0,
    checked_at: nowSeconds(),
    objects: objects.map(({ serviceName, fields, ...object }) => ({
      service_name: serviceName,
      ...object,
      fields: fields.map(({ path, applied, live, manager, time, added = false }) => ({
        path,
        applied: (applied ?? null) as Json,
        live: (live ?? null) as Json,
        manager,
        added,
        time: unixSeconds(time),
      })),
    })),
  };
}
