import { addExamples } from "../../../shared/http/document/addExamples.ts";
import { openApiDocument } from "../../../shared/http/document/openApiDocument.ts";
import { groups } from "../groups.ts";
import examples from "./examples.json" with { type: "json" };

/** The OpenAPI document of everything that is declared, with the examples that tests recorded (`npm run docs:examples`). */
export function declaredDocument(): ReturnType<typeof openApiDocument> {
  const document = openApiDocument(groups.map((group) => group.routes));
  addExamples(document.paths ?? {}, examples);
  return document;
}
