import { setTimeout as delay } from "node:timers/promises";
import { type Answered, type Asked, startLoopbackServer } from "./loopbackServer.ts";

/** What goes wrong: a change of a key with this name is answered with the status, or keeps its caller waiting. */
interface Faults {
  status?: { key: string; status: number } | undefined;
  slow?: { key: string; milliseconds: number } | undefined;
}

/** Nacos's open interface, as its documentation says it answers. Configurations by `<tenant>/<group>/<data id>`. */
export async function startNacosServer(login: { username: string; password: string }) {
  const configs = new Map<string, string>();
  const types = new Map<string, string>();
  const changes: string[] = [];
  const faults: Faults = {};
  const accessToken = "eyJhbGciOiJIUzI1NiJ9.nacos";

  async function change({ method, url, body }: Asked): Promise<Answered> {
    const sent = method === "POST" ? new URLSearchParams(body) : url.searchParams;
    const dataId = sent.get("dataId") ?? "";
    const key = `${sent.get("tenant")}/${sent.get("group")}/${dataId}`;
    if (faults.slow?.key === dataId) await delay(faults.slow.milliseconds);
    if (faults.status?.key === dataId) return [faults.status.status, "caused: the disk is full"];
    changes.push(`${method} ${key}`);
    if (method === "DELETE") configs.delete(key);
    else {
      configs.set(key, sent.get("content") ?? "");
      types.set(key, sent.get("type") ?? "");
    }
    return [200, "true"];
  }

  const server = await startLoopbackServer((asked) => {
    const { method, url, headers, body } = asked;
    if (url.pathname === "/nacos/v1/auth/login" && method === "POST") {
      const sent = Object.fromEntries(new URLSearchParams(body));
      if (sent.username !== login.username || sent.password !== login.password) return [403, "unknown user!"];
      return [200, { accessToken, tokenTtl: 18_000, globalAdmin: false }];
    }
    if (headers.authorization !== `Bearer ${accessToken}`) return [403, { status: 403, message: "user not found!" }];
    if (url.pathname !== "/nacos/v1/cs/configs") return [404, "no such page"];
    if (method !== "GET") return change(asked);
    const { searchParams: query } = url;
    const found = configs.get(`${query.get("tenant")}/${query.get("group")}/${query.get("dataId")}`);
    return found === undefined ? [404, "config data not exist"] : [200, found];
  });
  return { ...server, configs, types, changes, faults };
}

/** Apollo's open platform, likewise. Items and releases by `<env>/<app>/<cluster>/<namespace>`. */
export async function startApolloServer(token: string) {
  const items = new Map<string, Map<string, string>>();
  const releases = new Map<string, Record<string, string>[]>();
  const faults: Faults = {};
  const path =
    /^\/openapi\/v1\/envs\/([^/]+)\/apps\/([^/]+)\/clusters\/([^/]+)\/namespaces\/([^/]+)(?:\/(items|releases)(?:\/([^/]+))?)?$/;

  const server = await startLoopbackServer(async ({ method, url, headers, body }): Promise<Answered> => {
    if (headers.authorization !== token) return [401, { status: 401, message: "Unauthorized" }];
    const [, env, app, cluster, namespace, what, encoded = ""] = path.exec(url.pathname) ?? [];
    const key = decodeURIComponent(encoded);
    const place = `${env}/${app}/${cluster}/${namespace}`;
    const own = items.get(place);
    if (own === undefined) return [404, { status: 404, message: `namespace not found ${place}` }];
    if (faults.slow?.key === key && key !== "") await delay(faults.slow.milliseconds);
    if (faults.status?.key === (what === "releases" ? place : key)) return [faults.status.status, { message: "no" }];
    if (what === undefined) return [200, { appId: app, items: [...own].map(([k, value]) => ({ key: k, value })) }];
    const sent = body === "" ? {} : JSON.parse(body);
    if (what === "releases") {
      if (!sent.releaseTitle || !sent.releasedBy)
        return [400, { message: "Params(releaseTitle and releasedBy) can not be empty" }];
      releases.set(place, [...(releases.get(place) ?? []), Object.fromEntries(own)]);
      return [200, { id: releases.get(place)?.length, configurations: Object.fromEntries(own) }];
    }
    if (method === "DELETE") {
      if (!url.searchParams.get("operator")) return [400, { message: "operator can not be empty" }];
      own.delete(key);
      return [200];
    }
    if (!own.has(key) && url.searchParams.get("createIfNotExists") !== "true")
      return [404, { message: "item not found" }];
    if (sent.key !== key || !sent.dataChangeLastModifiedBy)
      return [400, { message: "key and path variable do not match" }];
    own.set(key, sent.value);
    return [200];
  });
  return { ...server, items, releases, faults };
}
