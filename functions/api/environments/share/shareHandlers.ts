import { refusal } from "../../../../shared/access/identity/rules/permission.ts";
import { failingWith } from "../../../../shared/environments/failures.ts";
import { checkSeconds } from "../../../../shared/environments/limits.ts";
import { disableSharing, enableSharing } from "../../../../shared/environments/mesh/changeShare.ts";
import { readPortal, setPortal } from "../../../../shared/environments/mesh/portal.ts";
import { readShareReadiness } from "../../../../shared/environments/mesh/readReadiness.ts";
import { type EnvironmentName, requireEnvironment } from "../../../../shared/environments/requireEnvironment.ts";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import type { Caller } from "../../../../shared/http/exchange.ts";
import { success } from "../../../../shared/http/schemas.ts";
import { openCluster } from "../../../../shared/kube/clusters/openCluster.ts";
import { unselectedWorkloads } from "../../../../shared/kube/mesh/unselectedWorkloads.ts";
import { deletes } from "../routeParts.ts";
import type { shareForms } from "./shareRoutes.ts";

/** Of one kind of environment. */
export function shareFormHandlers(production: boolean): Handlers<ReturnType<typeof shareForms>> {
  const at = (projectKey: string, envKey: string) => ({ projectKey, envKey, production });
  return {
    checkWorkloads: ({ params, query }) => readUnselected(at(query.projectKey, params.envName)),
    checkWorkloadsByShortName: ({ params, query }) => readUnselected(at(query.projectKey, params.envName)),
    enableSharing: async ({ params, query, caller }) => {
      await enableSharing(at(query.projectKey, params.envName), caller);
      return success;
    },
    disableSharing: async ({ params, query, caller }) => {
      await disableSharing(
        at(query.projectKey, params.envName),
        () => mayDelete(caller, query.projectKey, production),
        caller,
      );
      return success;
    },
    readShareReadiness: async ({ params, query }) => {
      const op = params.op === "enable" ? "enable" : "disable";
      const readiness = await readShareReadiness(at(query.projectKey, params.envName), op);
      return {
        is_ready: readiness.isReady,
        checks: {
          namespace_has_istio_label: readiness.namespaceHasLabel,
          virtualservice_deployed: readiness.routesStand,
          pods_have_istio_proxy: readiness.podsHaveProxy,
          workloads_ready: readiness.workloadsReady,
          workloads_have_k8s_service: readiness.workloadsHaveService,
        },
      };
    },
    readPortal: async ({ params, query }) => {
      const { gatewayAddress, servers } = await readPortal(at(query.projectKey, params.envName), params.serviceName);
      return {
        default_gateway_address: gatewayAddress,
        servers: servers.map(({ host, port, protocol }) => ({ host, port_number: port, port_protocol: protocol })),
      };
    },
    setPortal: async ({ params, query, body, caller }) => {
      const servers = body.map(({ host, port_number: port, port_protocol: protocol }) => ({ host, port, protocol }));
      await setPortal(at(query.projectKey, params.envName), params.serviceName, servers, caller);
      return success;
    },
  };
}

/** Sub-environments go with their base as by the endpoint that deletes one (decisions 11.14). */
function mayDelete(caller: Caller, projectKey: string, production: boolean): boolean {
  const permission = { kind: "verb", verbs: [deletes[production ? "production" : "test"]] } as const;
  return refusal({ permission, mutates: true }, caller, { projectKey }) === undefined;
}

/**
 * Deployments and StatefulSets of an environment that no Service selects, which calls by name cannot reach (contract P 9).
 * @throws ApiError 404 unknown environment; 6076 for a cluster that cannot be read
 */
async function readUnselected(name: EnvironmentName): Promise<string[]> {
  const { environment } = await requireEnvironment(name, { consistent: false });
  return failingWith(6076, async () => {
    const { client } = await openCluster(environment.clusterId);
    const call = { signal: AbortSignal.timeout(checkSeconds * 1000), deadlineSeconds: checkSeconds };
    return unselectedWorkloads(client, environment, call);
  });
}
