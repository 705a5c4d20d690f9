import { allPages, taken } from "@slipway/client";
import type { Session } from "./session.ts";

/** All projects that the caller may see. */
export function listProjects({ slipway }: Pick<Session, "slipway">) {
  return allPages(
    async (query) => (await taken(slipway.GET("/openapi/projects/project", { params: { query } }))).projects,
  );
}
