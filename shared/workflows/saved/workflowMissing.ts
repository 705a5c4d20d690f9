import { notFound } from "../../base/errors/apiError.ts";

export function workflowMissing(key: string): Error {
  return notFound(`workflow ${key}`);
}
