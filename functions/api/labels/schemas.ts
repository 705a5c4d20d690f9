import * as z from "zod";
import { filled, plainName, recordId } from "../../../shared/http/schemas.ts";

export const newLabel = z.object({
  key: plainName(),
  description: z.string().max(512, "must have at most 512 characters").default(""),
});

export const label = z
  .object({ id: z.string(), key: z.string(), description: z.string(), created_at: z.int(), updated_at: z.int() })
  .meta({ id: "Label" });

/** `{message: "success"}` with the id of what was made. */
export const madeLabel = z.object({ message: z.literal("success"), id: z.string() });

const service = {
  project_key: filled("project_key", 256),
  service_name: filled("service_name", 256),
  production: z.boolean().default(false),
  label_id: recordId,
};

/** A label without a value is a mark; sent for a label that the service has, the value replaces the old one. */
export const newBinding = z.object({
  ...service,
  value: z.string().max(256, "must have at most 256 characters").default(""),
});

/** The value may be sent along as it was when the label was added. */
export const goneBinding = z.object(service);
