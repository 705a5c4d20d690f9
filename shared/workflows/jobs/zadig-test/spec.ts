import * as z from "zod";
import { text } from "../../definition/wireFields.ts";
import {
  definitionItems,
  itemInputs,
  serviceInputs,
  serviceItems,
  targetServices,
} from "../container/definitionItems.ts";

/** Spec of `zadig-test` (contract W 5). */
export const testSpec = z.looseObject({
  test_type: text,
  source: text,
  test_modules: definitionItems,
  test_module_options: definitionItems,
  service_and_tests: serviceItems,
  service_test_options: serviceItems,
  target_services: targetServices,
});

/** What a start call says (contract W 3). */
export const testParameters = z.looseObject({ testing_list: itemInputs("testing_name"), service_list: serviceInputs });
