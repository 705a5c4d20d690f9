import * as z from "zod";
import { listOf, text } from "../wireFields.ts";
import { repositories, selection, serviceModule, variables } from "./parts.ts";

const run = { name: text, project_name: text, key_vals: variables, repos: repositories };

/** Spec of `zadig-test`. */
export const zadigTest = z.looseObject({
  ...selection,
  test_type: z.enum(["", "service_test"], "must be empty or service_test").nullish(),
  test_modules: listOf(z.looseObject(run)),
  service_and_tests: listOf(z.looseObject({ ...serviceModule, ...run })),
});
