import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { type Answer, type Slipway, startSlipway } from "../../../harness/slipway.ts";

/** A cluster as the API shows it. */
export interface Shown {
  cluster_id: string;
  name: string;
  status: string;
  project_names: string[];
  [key: string]: unknown;
}

export interface Refusal {
  code: number;
  description: string;
  extra: { problems?: { in: string; path: string; problem: string }[] };
}

export const path = "/openapi/system/cluster";
export const localId = "0123456789abcdef12345678";

/** A Slipway that may reach loopback, and the calls that these tests make of it. */
export interface ClusterCalls extends Slipway {
  /** Kubeconfig of the sandbox cluster. */
  sandbox: string;
  post<T>(body: unknown): Promise<Answer<T>>;
  list(query?: string): Promise<Shown[]>;
  named(name: string): Promise<Shown | undefined>;
  /** Registers the sandbox cluster unless told otherwise. */
  register(name: string, more?: object): Promise<Shown>;
  /** Posts what must be refused with 400 and leave nothing behind. */
  refused(body: Record<string, unknown>): Promise<Refusal>;
  istio(id: string): Promise<Answer<Refusal & boolean>>;
}

export async function startForClusters(): Promise<ClusterCalls> {
  const slipway = await startSlipway({ settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
  const sandbox = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  const post = <T>(body: unknown): Promise<Answer<T>> => slipway.call<T>("POST", path, { body });
  const list = async (query = ""): Promise<Shown[]> => (await slipway.call<Shown[]>("GET", path + query)).json;
  const named = async (name: string) => (await list()).find((one) => one.name === name);
  return {
    ...slipway,
    sandbox,
    post,
    list,
    named,
    async register(name, more = {}) {
      const answer = await post<{ cluster: Shown }>({ name, type: "kubeconfig", kube_config: sandbox, ...more });
      expect(answer.status, answer.text).toBe(200);
      return answer.json.cluster;
    },
    async refused(body) {
      const answer = await post<Refusal>(body);
      expect(answer.status, answer.text).toBe(400);
      expect(await named(String(body.name))).toBeUndefined();
      return answer.json;
    },
    istio: (id) => slipway.call("GET", `/openapi/cluster/istio/check/${id}`),
  };
}
