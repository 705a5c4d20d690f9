import * as z from "zod";
import { fromBody, fromQuery, type RawRequest } from "../../../shared/http/route.ts";
import { filled, paging } from "../../../shared/http/schemas.ts";

/** The body names the project; the query does where the body leaves it out. */
export const sentScope = { project: [fromBody("project_key"), fromQuery("projectKey")] };
export const sentQuery = z.object({ projectKey: z.string().optional() });
export const projectField = { project_key: z.string("must be a text").optional() };

export const askedScope = { project: fromQuery("projectKey") };
const projectKey = filled("projectKey", 256);
export const readQuery = z.object({ projectKey });
export const listQuery = z.object({ projectKey, ...paging });
export const deleteQuery = z.object({ projectKey, name: filled("name", 256) });

export const named = ({ body }: RawRequest): string => (typeof body.name === "string" ? body.name : "");
