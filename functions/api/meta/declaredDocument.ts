import { openApiDocument } from "../../../shared/http/openApiDocument.ts";
import { groups } from "../groups.ts";

/** The OpenAPI document of everything that is declared. */
export function declaredDocument(): ReturnType<typeof openApiDocument> {
  return openApiDocument(groups.map((group) => group.routes));
}
