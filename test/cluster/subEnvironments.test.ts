import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, test } from "vitest";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { chartMeshSuite } from "../harness/chartMeshSuite.ts";
import { meshBoutiqueSuite } from "../harness/meshBoutique.ts";
import { meshSuite } from "../harness/meshSuite.ts";
import { startSlipway } from "../harness/slipway.ts";

const operator = await readOperatorKubeconfig(process.env);
const {
  SLIPWAY_ISTIO_XDS: xds = "",
  SLIPWAY_ISTIO_ROUTES: tool = "istio-routes",
  SLIPWAY_ISTIO_GATEWAY_ROUTES: gatewayTool = "",
} = process.env;

interface Route {
  match: { headers?: { name: string; stringMatch?: { exact?: string } }[] };
  route?: { cluster?: string };
}

/** The first route that matches, in the configuration that istiod gives to the proxy of a pod of the namespace. */
function hostOf(namespace: string, service: string, headers: Record<string, string>, port = 80): Promise<string> {
  return hostOfRoute(tool, ["-namespace", namespace, "-pod", "any", `${port}`], service, headers);
}

/** The same for the ingress gateway. */
function gatewayHostOf(port: number, host: string, headers: Record<string, string>): Promise<string> {
  const proxy = ["-namespace", "istio-system", "-pod", "gateway", "-labels", "istio=ingressgateway"];
  return hostOfRoute(gatewayTool, [...proxy, `http.${port}`], host, headers);
}

async function hostOfRoute(
  program: string,
  words: string[],
  domain: string,
  headers: Record<string, string>,
): Promise<string> {
  const { stdout } = await promisify(execFile)(program, ["-address", xds, ...words]);
  const [configuration] = JSON.parse(stdout) as { virtualHosts?: { domains: string[]; routes: Route[] }[] }[];
  const routes = configuration?.virtualHosts?.find(({ domains }) => domains.includes(domain))?.routes ?? [];
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
  if (gatewayTool === "")
    console.warn(
      "SKIPPED: istiod is not asked what an ingress gateway would do with calls to a portal. Set SLIPWAY_ISTIO_GATEWAY_ROUTES to a program that prints the routes of a proxy of type router, with the options of istio-routes.",
    );
  const asking = { hostOf, ...(gatewayTool !== "" && { gatewayHostOf }) };
  const start = async () => ({ slipway: await startSlipway({ kubeconfig }), kubeconfig, ...asking });
  meshSuite("a cluster with Istio", start);
  meshBoutiqueSuite("a cluster with Istio", start);
  chartMeshSuite("a cluster with Istio", start);
}
