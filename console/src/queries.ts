import { taken } from "@slipway/client";
import { onlineManager, QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { currentSession, slipway, watchSession } from "./session.ts";

/** Nothing is asked for more often; what changes is told by a socket besides. */
export const liveMilliseconds = 5000;

// While the login has ended nothing is asked for. A browser without a network asks, and shows that nothing answers.
onlineManager.setEventListener((setOnline) => {
  const look = (): void => setOnline(currentSession()?.hasEnded !== true);
  look();
  return watchSession(look);
});

export const queries = new QueryClient({
  // The client asks again by itself where that can help.
  defaultOptions: { queries: { retry: false, staleTime: 2000 } },
});

export interface Place {
  project: string;
  env: string;
  production: boolean;
}

/** An environment in addresses of the console. */
export const searchOf = ({ env, production }: Pick<Place, "env" | "production">) => ({
  envName: env,
  ...(production && { production: true as const }),
});

/** How a request names an environment. */
export const inProject = ({ project, env }: Place) => ({ path: { envName: env }, query: { projectKey: project } });

export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  queryFn: async () => (await taken(slipway().GET("/openapi/projects/project"))).projects,
});

export const driftQuery = (place: Place) =>
  queryOptions({
    queryKey: ["drift", place],
    queryFn: () => {
      const params = inProject(place);
      return place.production
        ? taken(slipway().GET("/openapi/environments/production/{envName}/drift", { params }))
        : taken(slipway().GET("/openapi/environments/{envName}/drift", { params }));
    },
    // It compares every object with the cluster.
    refetchInterval: 60_000,
  });

export const versionsQuery = (place: Place, service: string) =>
  queryOptions({
    queryKey: ["versions", place, service],
    queryFn: () => {
      const { path, query } = inProject(place);
      const params = { path: { ...path, serviceName: service }, query };
      return place.production
        ? taken(slipway().GET("/openapi/environments/production/{envName}/service/{serviceName}/versions", { params }))
        : taken(slipway().GET("/openapi/environments/{envName}/service/{serviceName}/versions", { params }));
    },
  });

export const rightsQuery = (project: string) =>
  queryOptions({
    queryKey: ["rights", project],
    queryFn: () =>
      taken(slipway().GET("/api/v1/policy/permission/project/{name}", { params: { path: { name: project } } })),
    staleTime: 60_000,
  });

/** What the caller may do in a project; what it may not do is not offered. */
export const rightsOf = (project: string) => queries.ensureQueryData(rightsQuery(project));

export type Rights = Awaited<ReturnType<typeof rightsOf>>;

/** Whether rights hold one of the verbs, in the project or by `own` of one environment or workflow. */
export function mayOne(
  { is_system_admin, is_project_admin, project_verbs }: Rights,
  own: readonly string[] = [],
  ...verbs: string[]
): boolean {
  return (
    is_system_admin || is_project_admin || verbs.some((verb) => project_verbs.includes(verb) || own.includes(verb))
  );
}

/** Whether the caller has one of the verbs in an environment; false while that is not known. */
export function useMay({ project, env }: Place, verbs: readonly string[]): boolean {
  const { data: rights } = useQuery(rightsQuery(project));
  return rights !== undefined && mayOne(rights, rights.environment_verbs_map[env], ...verbs);
}

/** Restarts a service, or says what that would do. */
export function restart(place: Place, service: string, isPreview: boolean) {
  const { path, query } = inProject(place);
  const params = {
    path: { ...path, serviceName: service },
    query: { ...query, ...(isPreview && { dryRun: "true" as const }) },
  };
  return place.production
    ? taken(slipway().POST("/openapi/environments/production/{envName}/service/{serviceName}/restart", { params }))
    : taken(slipway().POST("/openapi/environments/{envName}/service/{serviceName}/restart", { params }));
}

/** Brings a service back to a version, or says what that would do. */
export function rollBack(place: Place, service: string, revision: number, isPreview: boolean) {
  const { path, query } = inProject(place);
  const params = {
    path: { ...path, serviceName: service, revision: String(revision) },
    query: { ...query, ...(isPreview && { dryRun: "true" as const }) },
  };
  return place.production
    ? taken(
        slipway().POST(
          "/openapi/environments/production/{envName}/service/{serviceName}/versions/{revision}/rollback",
          { params },
        ),
      )
    : taken(
        slipway().POST("/openapi/environments/{envName}/service/{serviceName}/versions/{revision}/rollback", {
          params,
        }),
      );
}
