import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, test } from "vitest";
import { loadOperatorKubeconfig } from "../../shared/kube/client/operatorKubeconfig.ts";
import { meshSuite } from "../harness/meshSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

const operator = await loadOperatorKubeconfig(process.env);
const { SLIPWAY_ISTIO_XDS: xds = "", SLIPWAY_ISTIO_ROUTES: tool = "istio-routes" } = process.env;

interface Route {
  match: { headers?: { name: string; stringMatch?: { exact?: string } }[] };
  route?: { cluster?: string };
}

/** The first route that matches, in the configuration that istiod gives to the proxy of a pod of the namespace. */
async function hostOf(namespace: string, service: string, headers: Record<string, string>): Promise<string> {
  const { stdout } = await promisify(execFile)(tool, ["-address", xds, "-namespace", namespace, "-pod", "any", "80"]);
  const [configuration] = JSON.parse(stdout) as { virtualHosts?: { domains: string[]; routes: Route[] }[] }[];
  const routes = configuration?.virtualHosts?.find(({ domains }) => domains.includes(service))?.routes ?? [];
  const found = routes.find(({ match }) =>
    (match.headers ?? []).every(({ name, stringMatch }) => headers[name] === stringMatch?.exact),
  );
  // `outbound|80||back.base.svc.cluster.local`
  return found?.route?.cluster?.split("|")[3] ?? "";
}

if (operator === undefined || xds === "") {
  console.warn("SKIPPED: sub-environments with Istio. Set KUBECONFIG and SLIPWAY_ISTIO_XDS to run them.");
  describe.skip("sub-environments with Istio: SLIPWAY_ISTIO_XDS is not set", () => test("skipped", () => {}));
} else {
  const kubeconfig = operator.text;
  meshSuite("a cluster with Istio", async () => ({ slipway: await startSlipway({ kubeconfig }), kubeconfig, hostOf }));
}
