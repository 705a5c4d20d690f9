import * as z from "zod";
import { callServer, jsonAnswer, type Server } from "../server/callServer.ts";

/** One namespace of Apollo, by the names of its API. */
export interface ApolloPlace {
  env: string;
  appId: string;
  cluster: string;
  namespace: string;
}

const longest = 8 * 1024 * 1024;

/** The portal of Apollo, whose open interface takes the token of an application. */
export function apolloPortal({ address, token }: { address: string; token: string }): Server {
  const headers = { authorization: token, "content-type": "application/json;charset=UTF-8" };
  return { name: "Apollo", address, headers };
}

function pathOf({ env, appId, cluster, namespace }: ApolloPlace): string {
  const [e, a, c, n] = [env, appId, cluster, namespace].map(encodeURIComponent);
  return `openapi/v1/envs/${e}/apps/${a}/clusters/${c}/namespaces/${n}`;
}

export function namedApollo({ env, appId, cluster, namespace }: ApolloPlace): string {
  return `${appId}/${env}/${cluster}/${namespace}`;
}

const namespaceAnswer = z.object({
  items: z.array(z.object({ key: z.string().nullish(), value: z.string().nullish() })).default([]),
});

/** Values of a namespace by key, what is not released yet among them. @throws ServerRefused, ServerUnavailable */
export async function readItems(apollo: Server, place: ApolloPlace): Promise<Map<string, string>> {
  const what = `namespace ${namedApollo(place)}`;
  const answer = await callServer(apollo, pathOf(place), { what, maxBytes: longest });
  const { items } = jsonAnswer(apollo, answer, namespaceAnswer, what);
  return new Map(items.flatMap(({ key, value }) => (key ? [[key, value ?? ""] as const] : [])));
}

/** Sets a key, which need not exist. @param user in whose name; Apollo must know it */
export async function setItem(
  apollo: Server,
  place: ApolloPlace,
  { key, value, user }: { key: string; value: string; user: string },
): Promise<void> {
  const path = `${pathOf(place)}/items/${encodeURIComponent(key)}?createIfNotExists=true`;
  const body = JSON.stringify({ key, value, dataChangeCreatedBy: user, dataChangeLastModifiedBy: user });
  await callServer(apollo, path, { what: `to set ${key} in ${namedApollo(place)}`, method: "PUT", body });
}

export async function deleteItem(
  apollo: Server,
  place: ApolloPlace,
  { key, user }: { key: string; user: string },
): Promise<void> {
  const path = `${pathOf(place)}/items/${encodeURIComponent(key)}?${new URLSearchParams({ operator: user })}`;
  await callServer(apollo, path, {
    what: `to delete ${key} in ${namedApollo(place)}`,
    method: "DELETE",
    accepts: [404],
  });
}

/** Releases what was set, so that applications get it. */
export async function release(
  apollo: Server,
  place: ApolloPlace,
  { title, comment, user }: { title: string; comment: string; user: string },
): Promise<void> {
  const body = JSON.stringify({
    releaseTitle: title.slice(0, 64),
    releaseComment: comment.slice(0, 256),
    releasedBy: user,
  });
  await callServer(apollo, `${pathOf(place)}/releases`, {
    what: `to release ${namedApollo(place)}`,
    method: "POST",
    body,
  });
}
