import { taken } from "@slipway/client";
import { queryOptions } from "@tanstack/react-query";
import { slipway } from "./session.ts";

export const entriesOnPage = 50;

/** What the caller may do in the whole system. */
export const systemRightsQuery = queryOptions({
  queryKey: ["system rights"],
  queryFn: async () => {
    const { is_system_admin, system_verbs } = await taken(slipway().GET("/api/v1/policy/permission"));
    return { isAdmin: is_system_admin, mayReadLog: is_system_admin || system_verbs.includes("get_log_operation") };
  },
  staleTime: 60_000,
});

export const clustersQuery = queryOptions({
  queryKey: ["clusters"],
  queryFn: () => taken(slipway().GET("/openapi/system/cluster")),
});

export const registriesQuery = queryOptions({
  queryKey: ["registries"],
  queryFn: () => taken(slipway().GET("/openapi/system/registry")),
});

/** @param page from 1 */
export const usersQuery = (page: number) =>
  queryOptions({
    queryKey: ["users", page],
    queryFn: () => {
      const query = { pageNum: String(page), pageSize: String(entriesOnPage) };
      return taken(slipway().GET("/openapi/users", { params: { query } }));
    },
  });

/** @param page from 1, the newest entries first @param username exactly; everybody without */
export const operationsQuery = (page: number, username: string) =>
  queryOptions({
    queryKey: ["operations", page, username],
    queryFn: () => {
      const query = {
        page: String(page),
        perPage: String(entriesOnPage),
        ...(username === "" ? { searchType: "all" } : { searchType: "user", username }),
      };
      return taken(slipway().GET("/openapi/system/operation", { params: { query } }));
    },
  });
