import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Answer } from "../harness/slipway.ts";
import { document, operationNamed } from "./document.ts";

export interface AnswerChecks {
  contentTypeOf(name: string, status: number): string;
  /** What of an answer does not fit the document; nothing when all does. */
  problemsOf(name: string, answer: Answer): string[];
}

/** Compares answers with the OpenAPI document, by the rules of JSON Schema 2020-12. */
export function answerChecks(): AnswerChecks {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: "document", ...document });
  const compiled = new Map<string, ValidateFunction>();
  const contentOf = (name: string, status: number): [string, object] | undefined => {
    const content = operationNamed(name).responses[String(status)]?.content ?? {};
    return Object.entries(content).map(([type, { schema }]) => [type, schema] as [string, object])[0];
  };
  const validatorOf = (name: string, status: number, schema: object): ValidateFunction => {
    const key = `${name} ${status}`;
    const existing = compiled.get(key);
    if (existing !== undefined) return existing;
    const pointed = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
    const made = ajv.compile(pointed);
    compiled.set(key, made);
    return made;
  };
  return {
    contentTypeOf: (name, status) => {
      const [type = ""] = contentOf(name, status) ?? [];
      // Event streams are UTF-8 by their own rules; archives are no text.
      return ["text/event-stream", "application/gzip"].includes(type) ? type : `${type}; charset=utf-8`;
    },
    problemsOf(name, answer) {
      const content = contentOf(name, answer.status);
      if (content === undefined) return [`${name} does not document ${answer.status}`];
      const [type, schema] = content;
      const validate = validatorOf(name, answer.status, schema);
      if (validate(type === "application/json" ? answer.json : answer.text)) return [];
      return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    },
  };
}
