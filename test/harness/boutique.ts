import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Slipway } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

/** Whatever answers requests: a Slipway in this process or in another one. */
export type Caller = Pick<Slipway, "call">;

const folder = new URL("../../examples/online-boutique/", import.meta.url);

/** The twelve services of Online Boutique by name. */
export const boutique: ReadonlyMap<string, string> = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => [basename(file, ".yaml"), readFileSync(new URL(file, folder), "utf8")]),
);

export const localClusterId = "0123456789abcdef12345678";

export interface Detail {
  status: string;
  stored_status: string;
  error: string;
  namespace: string;
  services: { service_name: string; status: string; error: string; containers: { name: string; image: string }[] }[];
}

/** A project with the twelve services, through the API. */
export async function createBoutique(slipway: Caller, projectKey: string): Promise<void> {
  const project = { project_name: projectKey, project_key: projectKey, is_public: false, project_type: "yaml" };
  await expectSuccess(slipway.call("POST", "/openapi/projects/project", { body: project }));
  for (const [service_name, yaml] of boutique) {
    const path = `/openapi/service/yaml/raw?projectKey=${projectKey}`;
    await expectSuccess(slipway.call("POST", path, { body: { service_name, yaml } }));
  }
}

export function environmentBody(envKey: string, namespace: string): object {
  return {
    env_key: envKey,
    cluster_id: localClusterId,
    namespace,
    registry_id: "0123456789abcdef12345679",
    services: [...boutique.keys()].map((service_name) => ({ service_name, type: "k8s" })),
  };
}

export async function detailOf(slipway: Caller, projectKey: string, envKey: string): Promise<Detail> {
  const answer = await slipway.call<Detail>("GET", `/openapi/environments/${envKey}?projectKey=${projectKey}`);
  if (answer.status !== 200) throw new Error(`detail of ${envKey}: ${answer.text}`);
  return answer.json;
}

/** Waits for a status of the detail; one that ends the wait otherwise is thrown with its error. */
export async function untilStatus(
  slipway: Caller,
  projectKey: string,
  envKey: string,
  status: string,
  seconds = 60,
): Promise<Detail> {
  let last: Detail | undefined;
  try {
    return await waitFor(
      `environment ${envKey} to be ${status}`,
      async () => {
        last = await detailOf(slipway, projectKey, envKey);
        return last.status === status && last;
      },
      seconds,
    );
  } catch (error) {
    throw new Error(`${(error as Error).message}; it is ${JSON.stringify(last)}`);
  }
}

async function expectSuccess(answer: ReturnType<Caller["call"]>): Promise<void> {
  const { status, text } = await answer;
  if (status !== 200) throw new Error(text);
}
