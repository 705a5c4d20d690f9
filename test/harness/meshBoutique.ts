import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../shared/kube/client/connect.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { boutique, createBoutique, detailOf, environmentBody, untilStatus } from "./boutique.ts";
import type { MeshStanding } from "./meshSuite.ts";
import { waitFor } from "./waitFor.ts";

/** Workloads of Online Boutique that are called, with the port of their Service; the others call only. */
const ports: Readonly<Record<string, number>> = {
  adservice: 9555,
  cartservice: 7070,
  checkoutservice: 5050,
  currencyservice: 7000,
  emailservice: 5000,
  frontend: 80,
  paymentservice: 50051,
  productcatalogservice: 3550,
  recommendationservice: 8080,
  shippingservice: 50051,
};

interface Routes {
  spec: { http: { match?: object[]; route: { destination: { host: string } }[] }[] };
}

/** Online Boutique as a base, with two of its twelve services in a sub-environment. */
export function meshBoutiqueSuite(where: string, start: () => Promise<MeshStanding>): void {
  describe(`Online Boutique with a sub-environment on ${where}`, () => {
    const projectKey = `mesh${randomBytes(3).toString("hex")}`;
    const ns = (name: string) => `${projectKey}-${name}`;
    const own = ["checkoutservice", "currencyservice"];
    let standing: MeshStanding;
    const call = (method: string, path: string, body?: unknown) =>
      standing.slipway.call(method, `/openapi/environments${path}projectKey=${projectKey}`, { body });
    const untilRunning = (env: string) => untilStatus(standing.slipway, projectKey, env, "running", 110);

    beforeAll(async () => {
      standing = await start();
      await createBoutique(standing.slipway, projectKey);
      expect(await call("POST", "?", environmentBody("base", ns("base")))).toMatchObject({ status: 200 });
      await untilRunning("base");
      expect(await call("POST", "/base/share/enable?")).toMatchObject({ status: 200 });
      await untilRunning("base");
      const services = own.map((service_name) => ({ service_name }));
      const sub = { ...environmentBody("sub", ns("sub")), services, sub_env: { enable: true, base_env: "base" } };
      expect(await call("POST", "?", sub)).toMatchObject({ status: 200 });
      await untilRunning("sub");
    });

    afterAll(async () => {
      await call("DELETE", "/base?isDelete=true&");
      for (const env of ["sub", "base"])
        await waitFor(`${env} to be gone`, async () => (await call("GET", `/${env}?`)).status === 404);
      await standing.slipway.close();
      await standing.close?.();
    });

    test("the sub-environment runs its two services alone", async () => {
      const names = async (env: string) =>
        (await detailOf(standing.slipway, projectKey, env)).services.map(({ service_name }) => service_name).sort();
      expect(await names("sub")).toEqual(own);
      expect(await names("base")).toEqual([...boutique.keys()].sort());
    });

    test("a marked call goes to it for those two, and to the base for all others, from either side", async () => {
      const client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
      const kind = { apiVersion: "networking.istio.io/v1", kind: "VirtualService" };
      const hostIn = (env: string, name: string) => `${name}.${ns(env)}.svc.cluster.local`;
      for (const env of ["base", "sub"]) {
        const { items } = await client.list(kind, { namespace: ns(env) });
        const legs = (items as unknown as (Routes & { metadata: { name: string } })[]).map(({ metadata, spec }) => [
          metadata.name.replace("slipway-", ""),
          spec.http.map(({ match = [], route }) => [
            at(match[0], ["headers", "x-env", "exact"]) ?? "",
            route[0]?.destination.host,
          ]),
        ]);
        const wanted = [...Object.keys(ports), "redis-cart", "frontend-external"].map((name) => [
          name,
          [...(own.includes(name) ? [["sub", hostIn("sub", name)]] : []), ["", hostIn("base", name)]],
        ]);
        expect(Object.fromEntries(legs)).toEqual(Object.fromEntries(wanted));
      }
      client.close();
      const { hostOf } = standing;
      if (hostOf === undefined) return;
      for (const env of ["base", "sub"])
        for (const [name, port] of Object.entries(ports)) {
          const marked = hostIn(own.includes(name) ? "sub" : "base", name);
          const asked = (headers: Record<string, string>) => hostOf(ns(env), name, headers, port);
          await waitFor(`istiod to lead ${name} from ${env}`, async () => (await asked({ "x-env": "sub" })) === marked);
          expect(await asked({}), `${name} from ${env}`).toBe(hostIn("base", name));
        }
    });
  });
}
