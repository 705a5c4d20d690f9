import * as z from "zod";
import { listOf, text } from "../wireFields.ts";
import { repositories, selection, serviceModule, variables } from "./parts.ts";

const run = { name: text, project_name: text, key_vals: variables, repos: repositories };

/** Spec of `zadig-scanning`. */
export const zadigScanning = z.looseObject({
  ...selection,
  scanning_type: z.enum(["", "service_scanning"], "must be empty or service_scanning").nullish(),
  scannings: listOf(z.looseObject(run)),
  service_and_scannings: listOf(z.looseObject({ ...serviceModule, ...run })),
});
