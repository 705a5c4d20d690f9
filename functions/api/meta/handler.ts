import { createApi } from "../../../shared/http/createApi.ts";
import { readDocument } from "./readDocument.ts";
import { metaRoutes } from "./routes.ts";

export const handler = createApi(metaRoutes, { getDocument: readDocument });
