import type { Problem } from "@slipway/client";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ApiDocument } from "./apiDocument.ts";
import type { Call } from "./callOperation.ts";

/** The most problems that are reported: each member of a union that does not fit adds one. */
const maxProblems = 10;

/**
 * Where a body is not as the document says. No reason to refuse it: Slipway takes some spellings that the document does not
 * have, and says itself what it does not take.
 */
export function bodyProblems(document: ApiDocument, { operation, body }: Call): Problem[] {
  if (operation.body === undefined || body === undefined) return [];
  // Schemas of the document may hold words of OpenAPI and formats that the validator does not know.
  const validate = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, logger: false }).compile(
    document.whole(operation.body),
  );
  validate(body);
  return (validate.errors ?? []).slice(0, maxProblems).map(({ instancePath, message = "does not fit" }) => ({
    ...{ in: "body" as const, problem: message },
    path: instancePath.slice(1).replaceAll("/", "."),
  }));
}
