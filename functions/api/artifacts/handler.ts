import { notFound } from "../../../shared/base/errors/apiError.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { searchArtifacts } from "../../../shared/packaging/artifacts/searchArtifacts.ts";
import { addActivity, findArtifact, newestArtifactId } from "../../../shared/packaging/artifacts/store/artifacts.ts";
import { artifactRoutes } from "./routes.ts";
import { traceImage } from "./traceImage.ts";
import { activityFrom, toArtifact } from "./wire.ts";

export const handler = createApi(artifactRoutes, {
  getArtifactOfImage: async ({ query: { image } }) => toArtifact(await requireArtifact(await requireOf(image))),

  listArtifacts: async ({ query: { per_page: perPage, ...query }, setHeader }) => {
    const { artifacts, total } = await searchArtifacts({ ...query, perPage });
    setHeader("x-total", String(total));
    return artifacts.map(toArtifact);
  },

  getArtifactIdOfImage: ({ query: { image } }) => requireOf(image),

  getArtifact: async ({ params: { id } }) => toArtifact(await requireArtifact(id)),

  addArtifactActivity: async ({ params: { id }, body, caller }) => {
    if (!(await addActivity(id, activityFrom(body, caller.name)))) throw notFound(`artifact ${id}`);
    return success;
  },

  traceImage: ({ query: { image }, caller }) => traceImage(image, caller),
});

async function requireArtifact(id: string) {
  const found = await findArtifact(id, { consistent: false });
  if (found === undefined) throw notFound(`artifact ${id}`);
  return found;
}

async function requireOf(image: string): Promise<string> {
  const id = await newestArtifactId(image);
  if (id === undefined) throw notFound(`an artifact of image ${image}`);
  return id;
}
