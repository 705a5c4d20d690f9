import { notFound } from "../../../shared/errors/apiError.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { listRegistries, type RegistrySummary, readRegistry } from "../../../shared/registries/store/registries.ts";
import { addRegistry } from "./addRegistry.ts";
import { listImages } from "./listImages.ts";
import { removeRegistry } from "./removeRegistry.ts";
import { replaceRegistry } from "./replaceRegistry.ts";
import { registryRoutes } from "./routes.ts";
import { validateRegistry } from "./validateRegistry.ts";

export const handler = createApi(registryRoutes, {
  createRegistry: async ({ body, caller }) => {
    await addRegistry(body, caller.name);
    return success;
  },

  listRegistries: async () => {
    const { registries, defaultId } = await listRegistries();
    return registries.map((registry) => shown(registry, registry.registryId === defaultId));
  },

  getRegistry: async ({ params }) => {
    const found = await readRegistry(params.id);
    if (found === undefined) throw notFound(`registry ${params.id}`);
    return shown(found.registry, found.isDefault);
  },

  updateRegistry: async ({ params, body, caller }) => {
    await replaceRegistry(params.id, body, caller.name);
    return success;
  },

  deleteRegistry: async ({ params }) => {
    await removeRegistry(params.id);
    return success;
  },

  validateRegistry: async ({ body, caller }) => {
    await validateRegistry(body, caller.name);
    return success;
  },

  listImages: ({ query, body }) => listImages(query.registryId ?? "", body.names),
});

function shown({ registryId, address, provider, region, namespace }: RegistrySummary, isDefault: boolean) {
  return { registry_id: registryId, address, provider, region, namespace, is_default: isDefault };
}
