import type * as z from "zod";
import { badRequest } from "../../../shared/domain/errors/apiError.ts";
import { updateImage } from "../../../shared/environments/updateImage.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { environmentOfEitherKind } from "./environmentOfEitherKind.ts";
import type { imageUpdate } from "./workloadSchemas.ts";

/** Contract P 5.8: the body may name the environment again, and then it must be the path's. */
export async function updateImageOf(
  kind: string,
  envKey: string,
  body: z.output<typeof imageUpdate>,
  caller: Caller,
): Promise<void> {
  if (body.env_name !== undefined && body.env_name !== envKey) {
    const problem = `must be the environment of the path, ${envKey}, or be left out`;
    throw badRequest([{ in: "body", path: "env_name", problem }]);
  }
  const name = await environmentOfEitherKind(body.product_name, envKey);
  const { service_name: service, container_name: container, image } = body;
  await updateImage(name, { service, workload: { kind, name: body.name }, container, image }, caller);
}
