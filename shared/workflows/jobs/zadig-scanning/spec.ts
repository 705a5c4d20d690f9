import * as z from "zod";
import { text } from "../../definition/wireFields.ts";
import {
  definitionItems,
  itemInputs,
  serviceInputs,
  serviceItems,
  targetServices,
} from "../container/definitionItems.ts";

/** Spec of `zadig-scanning` (contract W 5). */
export const scanSpec = z.looseObject({
  scanning_type: text,
  source: text,
  scannings: definitionItems,
  scanning_options: definitionItems,
  service_and_scannings: serviceItems,
  service_scanning_options: serviceItems,
  target_services: targetServices,
});

/** What a start call says (contract W 3). */
export const scanParameters = z.looseObject({
  scanning_list: itemInputs("scanning_name"),
  service_list: serviceInputs,
});
