import { taken } from "@slipway/client";
import { queryOptions } from "@tanstack/react-query";
import { slipway } from "./session.ts";

export const entriesOnPage = 50;

/** What the caller may do in the whole system. */
export const systemRightsQuery = queryOptions({
  queryKey: ["system rights"],
  queryFn: async () => {
    const { is_system_admin, system_verbs } = await taken(slipway().GET("/api/v1/policy/permission"));
    const may = (verb: string): boolean => is_system_admin || system_verbs.includes(verb);
    return {
      isAdmin: is_system_admin,
      mayReadLog: may("get_log_operation"),
      mayReadPlans: may("get_release_plan"),
      mayMakePlans: may("create_release_plan"),
    };
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

/** @param page from 1 @param name a part of it, or empty for all */
export const usersQuery = (page: number, name: string) =>
  queryOptions({
    queryKey: ["users", page, name],
    // Only what a search finds says who has a second factor.
    queryFn: () => taken(slipway().POST("/api/v1/users/search", { body: { name, page, per_page: entriesOnPage } })),
  });

/** Takes away another user's second factor. */
export function resetSecondFactor(uid: string) {
  return taken(slipway().DELETE("/openapi/users/{uid}/mfa", { params: { path: { uid } } }));
}

const readSecurity = () => taken(slipway().GET("/api/aslan/system/security"));

export type SecuritySettings = Awaited<ReturnType<typeof readSecurity>>;

export const securityQuery = queryOptions({ queryKey: ["security settings"], queryFn: readSecurity });

/** Holds from the next sign-in on. */
export function saveSecurity(body: Omit<SecuritySettings, "mfa_enabled">) {
  return taken(slipway().POST("/api/aslan/system/security", { body }));
}

/** By what the operation log is searched, and the name of the text in the query. */
const searches = { user: "username", project: "projectKey", function: "function", status: "status" } as const;
export type LogSearch = keyof typeof searches;
export const logSearches = Object.keys(searches) as LogSearch[];

/** @param page from 1, the newest entries first @param text a part of what is searched, or a whole status; all without */
export const operationsQuery = (page: number, by: LogSearch, text: string) =>
  queryOptions({
    queryKey: ["operations", page, by, text],
    queryFn: () => {
      const query = {
        page: String(page),
        perPage: String(entriesOnPage),
        ...(text === "" ? { searchType: "all" } : { searchType: by, [searches[by]]: text }),
      };
      return taken(slipway().GET("/openapi/system/operation", { params: { query } }));
    },
  });

/**
 * Reads the whole operation log as it was written, page by page.
 * @param told of how many records were read so far @returns lines of JSON, the oldest first
 */
export async function exportOperations(told: (count: number) => void): Promise<Blob> {
  const pages: string[] = [];
  let after = "0";
  for (let count = 0; ; ) {
    const { data = "", response } = await slipway().GET("/openapi/system/operation/export", {
      params: { query: { after } },
      parseAs: "text",
    });
    const last = response.headers.get("x-last-sequence");
    if (data === "" || last === null) return new Blob(pages, { type: "application/x-ndjson" });
    pages.push(data);
    count += data.split("\n").length - 1;
    told(count);
    after = last;
  }
}
