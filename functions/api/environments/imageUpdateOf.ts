import type * as z from "zod";
import type { EnvironmentName } from "../../../shared/environments/requireEnvironment.ts";
import type { ImageUpdate } from "../../../shared/environments/updateImage.ts";
import { badRequest } from "../../../shared/errors/apiError.ts";
import { environmentOfEitherKind } from "./environmentOfEitherKind.ts";
import type { imageUpdate } from "./workloadSchemas.ts";

/** Contract P 5.8: the body may name the environment again, and then it must be the path's. */
export async function imageUpdateOf(
  kind: string,
  envKey: string,
  body: z.output<typeof imageUpdate>,
): Promise<[EnvironmentName, ImageUpdate]> {
  if (body.env_name !== undefined && body.env_name !== envKey) {
    const problem = `must be the environment of the path, ${envKey}, or be left out`;
    throw badRequest([{ in: "body", path: "env_name", problem }]);
  }
  const name = await environmentOfEitherKind(body.product_name, envKey);
  const { service_name: service, container_name: container, image } = body;
  return [name, { service, workload: { kind, name: body.name }, container, image }];
}
