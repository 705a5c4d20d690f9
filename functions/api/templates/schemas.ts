import * as z from "zod";
import { keyVal, keyValList } from "../../../shared/http/keyVal.ts";
import { paging, plainName } from "../../../shared/http/schemas.ts";

export const pageOf = z.object(paging);
export const params = z.object({ id: z.string() });

export const newTemplate = z.object({
  name: plainName(),
  content: z.string("content must be a text").min(1, "content cannot be empty"),
  service_variable_kvs: keyValList.default([]),
});

const listed = { id: z.string(), name: z.string(), variables: z.array(keyVal) };

export const templateList = z.object({
  yaml_template: z.array(z.object(listed).meta({ id: "YamlTemplateItem" })),
  total: z.int(),
});

export const template = z
  .object({
    id: z.string(),
    name: z.string(),
    content: z.string(),
    service_variable_kvs: z.array(keyVal),
    created_by: z.string(),
    created_time: z.int(),
    update_by: z.string(),
    update_time: z.int(),
  })
  .meta({ id: "YamlTemplate" });

/** `{message: "success"}` with the id of what was made. */
export const madeTemplate = z.object({ message: z.literal("success"), id: z.string() });

/** `{message: "success"}` with what became of the services that follow the template. */
export const syncAnswer = z
  .object({
    message: z.literal("success"),
    updated: z.int(),
    failed: z.array(
      z.object({ project_key: z.string(), service_name: z.string(), production: z.boolean(), reason: z.string() }),
    ),
    pending: z.int(),
  })
  .meta({ id: "TemplateSync" });
