import type { ServiceRequest } from "../../../shared/environments/plan/planServices.ts";

interface WireService {
  service_name: string;
  variable_kvs?: { key: string; value: unknown; use_global_variable?: boolean | undefined }[] | undefined;
  containers?: { name: string; image: string }[] | undefined;
}

/** Services as callers send them; a flag that is left out keeps the one in force (contract P 5.4). */
export function toServiceRequests(services: readonly WireService[]): ServiceRequest[] {
  return services.map(({ service_name, variable_kvs = [], containers }) => ({
    name: service_name,
    variables: variable_kvs.map(({ key, value, use_global_variable }) => ({
      key,
      value,
      ...(use_global_variable !== undefined && { useGlobalVariable: use_global_variable }),
    })),
    containers,
  }));
}
