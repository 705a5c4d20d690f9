import * as z from "zod";
import type { JobSpecNotice } from "../../../integrations/notify/rules/jobSpecNotice.ts";
import type { Tree } from "../../../manifest/tree.ts";
import { ofDefinitions } from "../../definition/definitionOptions.ts";
import type { JobKind } from "../../definition/jobKind.ts";
import { definitionItems, selection, serviceItems, targetServices } from "../../definition/specParts.ts";

const lists = {
  ...{ chosen: "test_modules", options: "test_module_options" },
  ...{ services: "service_and_tests", serviceOptions: "service_test_options" },
};

/** Tests are run, by themselves or for service modules. */
export const kind = {
  type: "zadig-test",
  words: ["Test", "测试"],
  schema: z.looseObject({
    ...selection,
    test_type: z.enum(["", "service_test"], "must be empty or service_test").nullish(),
    test_modules: definitionItems,
    test_module_options: definitionItems,
    service_and_tests: serviceItems,
    service_test_options: serviceItems,
    target_services: targetServices,
  }),
  ...ofDefinitions("test", lists),
  notice: testNotice,
} as const satisfies JobKind;

/** A test that brought no report says nothing of numbers (contract W 13.4). */
function testNotice(spec: Tree): JobSpecNotice {
  const { test_case_num: total, success_case_num: succeeded, failed_case_num: failed, error_case_num: errors } = spec;
  if (typeof total !== "number") return { kind: "other" };
  return { kind: "test", succeeded: numberOf(succeeded), failed: numberOf(failed) + numberOf(errors), total };
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
