import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, test, vi } from "vitest";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { callRulesSuite } from "../harness/callRulesSuite.ts";
import { istioReleaseSuite, type Shares } from "../harness/istioReleaseSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

vi.setConfig({ testTimeout: 120_000 });

const operator = await readOperatorKubeconfig(process.env);
const { SLIPWAY_ISTIO_XDS: xds = "", SLIPWAY_ISTIO_ROUTES: tool = "istio-routes" } = process.env;

/** Of Envoy's `RouteConfiguration`. */
interface Route {
  match: {
    prefix?: string;
    pathSeparatedPrefix?: string;
    headers?: { name: string; stringMatch?: { exact?: string } }[];
  };
  route?: { cluster?: string; weightedClusters?: { clusters: { name: string; weight?: number }[] } };
}

/** Where a call to `/` goes by the first route that matches, in what istiod gives to the proxy of a pod of the namespace. */
async function sharesOf(namespace: string, service: string, headers: Record<string, string>): Promise<Shares> {
  const { stdout } = await promisify(execFile)(tool, ["-address", xds, "-namespace", namespace, "-pod", "any", "80"]);
  const [configuration] = JSON.parse(stdout) as { virtualHosts?: { domains: string[]; routes: Route[] }[] }[];
  const routes = configuration?.virtualHosts?.find(({ domains }) => domains.includes(service))?.routes ?? [];
  const found = routes.find(
    ({ match: { prefix = "", pathSeparatedPrefix = "", headers: wanted = [] } }) =>
      ["", "/"].includes(prefix + pathSeparatedPrefix) &&
      wanted.every(({ name, stringMatch }) => headers[name] === stringMatch?.exact),
  );
  const { cluster = "", weightedClusters } = found?.route ?? {};
  const clusters = weightedClusters?.clusters ?? [{ name: cluster, weight: 1 }];
  const total = clusters.reduce((sum, { weight = 0 }) => sum + weight, 0);
  const shares: Shares = {};
  for (const { name, weight = 0 } of clusters) {
    // `outbound|80|slipway-new|back.base.svc.cluster.local`
    const [, , subset = "", host = ""] = name.split("|");
    const key = `${subset}|${host}`;
    shares[key] = (shares[key] ?? 0) + (weight * 100) / total;
  }
  return shares;
}

if (operator === undefined || xds === "") {
  console.warn("SKIPPED: releases by Istio on a real cluster. Set KUBECONFIG and SLIPWAY_ISTIO_XDS to run them.");
  describe.skip("releases by Istio on a real cluster: SLIPWAY_ISTIO_XDS is not set", () => test("skipped", () => {}));
} else {
  const kubeconfig = operator.text;
  const open = async () => ({ kubeconfig, sharesOf, slipway: await startSlipway({ kubeconfig }) });
  describe("one after the other", () => istioReleaseSuite("a cluster with Istio", open));
  describe("each with a server of its own", () => callRulesSuite("a cluster with Istio", open));
}
