import * as z from "zod";
import { callServer, jsonAnswer, type Server } from "../server/callServer.ts";
import { ServerRefused } from "../server/serverErrors.ts";

/** One configuration of Nacos, by the names of its API. */
export interface NacosPlace {
  dataId: string;
  group: string;
  /** The namespace's id; empty: `public`. */
  tenant: string;
}

const configs = "v1/cs/configs";
const longest = 4 * 1024 * 1024;
const form = { "content-type": "application/x-www-form-urlencoded" };

const loginAnswer = z.object({ accessToken: z.string() });

/**
 * A server of Nacos (2.x, and 3.x with its older interface) after the login, where it has one. Its interface is below `/nacos`
 * unless the address has a path.
 * @throws ServerRefused, ServerUnavailable
 */
export async function openNacos({
  address,
  user,
  password,
}: {
  address: string;
  user: string;
  password: string;
}): Promise<Server> {
  const base = address.replace(/\/+$/, "");
  const server: Server = {
    name: "Nacos",
    address: new URL(base).pathname === "/" ? `${base}/nacos` : base,
    headers: {},
  };
  if (user === "") return server;
  const body = String(new URLSearchParams({ username: user, password }));
  // A wrong password is answered with 403.
  const answer = await callServer(server, "v1/auth/login", {
    what: "a login",
    method: "POST",
    headers: form,
    body,
    accepts: [403],
  });
  if (answer.status === 403) throw new ServerRefused("Nacos does not accept the credentials of the integration");
  const { accessToken } = jsonAnswer(server, answer, loginAnswer, "a login");
  return { ...server, headers: { authorization: `Bearer ${accessToken}` } };
}

/** The content of a configuration; undefined when there is none. */
export async function readConfig(nacos: Server, place: NacosPlace): Promise<string | undefined> {
  const what = `to read ${named(place)}`;
  const answer = await callServer(nacos, `${configs}?${new URLSearchParams({ ...place })}`, {
    what,
    accepts: [404],
    maxBytes: longest,
  });
  return answer.status === 404 ? undefined : answer.body.toString("utf8");
}

/** @param type its format: text, json, xml, yaml, html, properties; empty: Nacos's own choice */
export async function publishConfig(
  nacos: Server,
  place: NacosPlace,
  { content, type }: { content: string; type: string },
): Promise<void> {
  const body = String(new URLSearchParams({ ...place, content, ...(type !== "" && { type }) }));
  requireTrue(
    place,
    "publish",
    await callServer(nacos, configs, { what: `to publish ${named(place)}`, method: "POST", headers: form, body }),
  );
}

export async function deleteConfig(nacos: Server, place: NacosPlace): Promise<void> {
  const path = `${configs}?${new URLSearchParams({ ...place })}`;
  requireTrue(place, "delete", await callServer(nacos, path, { what: `to delete ${named(place)}`, method: "DELETE" }));
}

/** Nacos answers a change with the text `true`. */
function requireTrue(place: NacosPlace, verb: string, { body }: { body: Buffer }): void {
  const said = body.toString("utf8").trim();
  if (said !== "true")
    throw new ServerRefused(`Nacos did not ${verb} ${named(place)}: ${said.slice(0, 200) || "it says nothing"}`);
}

function named({ group, dataId }: NacosPlace): string {
  return `${group}/${dataId}`;
}
