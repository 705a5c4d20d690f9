import createClient, { type Client } from "openapi-fetch";
import type { components, operations, paths } from "./generated/api.ts";
import { type Exchange, retryingFetch } from "./retryingFetch.ts";
import { errorOf } from "./slipwayError.ts";

export { type Applier, type ApplyReport, applyManifests, type Manifest } from "./applyManifests.ts";
export { type Change, changes } from "./changes.ts";
export { objectsOf, type Preview, type PreviewObject } from "./environmentChanges.ts";
export { type EnvironmentDetail, environmentDetail, isBusy, type Place } from "./environments.ts";
export { allPages, everyPage } from "./everyPage.ts";
export { type LineEvent, lines } from "./lines.ts";
export { isManifest, servicesOfFiles } from "./manifestFiles.ts";
export { pause } from "./pause.ts";
export { type Problem, SlipwayError, unlessMissing } from "./slipwayError.ts";
export { hasEnded, hasLog, jobLogPath, type RolloutAction, rolloutActions, rolloutTypes } from "./tasks.ts";
export { createVersion, runsCharts } from "./versions.ts";
export type { components, Exchange, operations, paths };

/** The endpoints by method and path, as the API document has them. */
export type Slipway = Client<paths>;

export interface Connection {
  /** `https://…`, the stage included where there is one. */
  address: string;
  token?: string | undefined;
  /** How often a request is sent when nothing answers or Slipway asks for patience. */
  tries?: number;
  /** Is told of every request that was sent. */
  observe?(exchange: Exchange): void;
}

/**
 * A client whose calls answer what the API document says and throw everything else.
 * @throws SlipwayError by each call: what Slipway refused, or that nothing answers
 */
export function connect({ address, token, tries = 4, observe }: Connection): Slipway {
  const client = createClient<paths>({
    baseUrl: address.replace(/\/+$/, ""),
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    fetch: retryingFetch(tries, observe),
  });
  client.use({
    onResponse: async ({ response }) => {
      if (!response.ok) throw await errorOf(response);
    },
  });
  return client;
}

/** What an answer holds; every other answer was thrown by the call. */
export async function taken<T>(call: Promise<{ data?: T }>): Promise<NonNullable<T>> {
  const { data } = await call;
  if (data === undefined || data === null) throw new Error("Slipway answered without a body");
  return data;
}
