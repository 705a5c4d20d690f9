import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { declaredDocument } from "../../functions/api/meta/declaredDocument.ts";

const folder = new URL("../typescript/generated/", import.meta.url);
const file = new URL("api.ts", folder);

type ApiDocument = Omit<OpenAPI3, "components"> & { components: { schemas: Record<string, object> } };

/** Writes the types of every endpoint from the declarations, unless they are there already. */
async function generate(): Promise<void> {
  const text = JSON.stringify(declaredDocument());
  const mark = `// Types of the API document ${createHash("sha256").update(text).digest("hex")}\n`;
  if (written().startsWith(mark)) return;
  const document: ApiDocument = JSON.parse(text);
  const schemas = document.components.schemas;
  // Schemas without a name of their own are those of any JSON value, which refer to themselves; a type may not.
  for (const name of Object.keys(schemas)) if (name.startsWith("__")) schemas[name] = {};
  // A client may leave out a field that has a default.
  const types = await openapiTS(document as OpenAPI3, { defaultNonNullable: false });
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, mark + astToString(types));
}

function written(): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

await generate();
