import { createApi } from "../../../shared/http/createApi.ts";
import { openApiDocument } from "../../../shared/http/openApiDocument.ts";
import { groups } from "../groups.ts";
import { metaRoutes } from "./routes.ts";

let document: { openapi: string } | undefined;

export const handler = createApi(metaRoutes, {
  getDocument: async () => {
    document ??= openApiDocument(groups.map((group) => group.routes));
    return { ...document };
  },
});
