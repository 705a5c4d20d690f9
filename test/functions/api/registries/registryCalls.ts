import { expect } from "vitest";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

/** A registry as the API shows it. */
export interface Shown {
  registry_id: string;
  address: string;
  provider: string;
  region: string;
  namespace: string;
  is_default: boolean;
}

export const path = "/openapi/system/registry";
export const localId = "0123456789abcdef12345679";
export const deletionOf = (id: string): string => `/api/aslan/system/registry/namespaces/${id}`;

export const harbor = {
  address: "https://harbor.example.com",
  provider: "harbor",
  namespace: "shop",
  is_default: false,
  access_key: "robot$shop",
  secret_key: "the-very-secret-key",
};

export interface RegistryCalls extends Slipway {
  list(): Promise<Shown[]>;
  /** Adds a registry under an address of its own and returns it as the list shows it. */
  add(address: string, more?: object): Promise<Shown>;
  /** Fields that a 400 names. */
  problemsOf(body: unknown, method?: string, at?: string): Promise<string[]>;
}

export async function startForRegistries(settings: Record<string, string> = {}): Promise<RegistryCalls> {
  const slipway = await startSlipway({ settings });
  const list = async () => (await slipway.call<Shown[]>("GET", path)).json;
  return {
    ...slipway,
    list,
    async add(address, more = {}) {
      const answer = await slipway.call("POST", path, { body: { ...harbor, address, ...more } });
      expect(answer.text).toBe('{"message":"success"}');
      const found = (await list()).find((registry) => registry.address === address);
      if (found === undefined) throw new Error(`${address} is not in the list`);
      return found;
    },
    async problemsOf(body, method = "POST", at = path) {
      const answer = await slipway.call<{ code: number; extra: { problems?: { path: string }[] } }>(method, at, {
        body,
      });
      expect([answer.status, answer.json.code]).toEqual([400, 400]);
      return (answer.json.extra.problems ?? []).map((problem) => problem.path);
    },
  };
}
