import * as z from "zod";
import { text } from "../wireFields.ts";

/** Spec of `notification`: an unknown type is stored, and fails its job. */
export const notificationSpec = z.looseObject({ source: text, webhook_type: text, title: text, content: text });
