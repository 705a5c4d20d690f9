import type * as z from "zod";
import { ApiError } from "../../../shared/errors/apiError.ts";
import { checkRegistry } from "../../../shared/images/askRegistry.ts";
import { ImageProblem } from "../../../shared/images/imageProblem.ts";
import { registryAccess } from "../../../shared/images/registryAccess.ts";
import { recordOf } from "./addRegistry.ts";
import type { newRegistry } from "./schemas.ts";

/**
 * Logs in to a registry as it would be when it was added; nothing is stored (contract D 4.7).
 * @throws ApiError 400 that says why it cannot be used
 */
export async function validateRegistry(wanted: z.output<typeof newRegistry>, caller: string): Promise<void> {
  try {
    await checkRegistry(await registryAccess(await recordOf(wanted, caller)));
  } catch (error) {
    if (!(error instanceof ImageProblem)) throw error;
    throw new ApiError(400, error.message, { cause: error });
  }
}
