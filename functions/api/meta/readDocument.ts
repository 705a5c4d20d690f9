import { readFile } from "node:fs/promises";

/** The file that bundling puts beside the function. */
export const documentFile = "openapi.json";

let document: Promise<{ openapi: string }> | undefined;

/** The OpenAPI document: made when the function was bundled; on one machine from the declarations, at the first call. */
export function readDocument(): Promise<{ openapi: string }> {
  document ??= bundledDocument().catch(async () => {
    const { declaredDocument } = await import("./declaredDocument.ts");
    return { ...declaredDocument() };
  });
  return document;
}

async function bundledDocument(): Promise<{ openapi: string }> {
  return JSON.parse(await readFile(new URL(documentFile, import.meta.url), "utf8"));
}
