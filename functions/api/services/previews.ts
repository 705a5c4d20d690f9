import type { Previews } from "../../../shared/http/createApi.ts";
import { previewCreation } from "../../../shared/services/createService.ts";
import { previewContent, previewDefinition } from "../../../shared/services/previewDefinition.ts";
import { findService } from "../../../shared/services/store/services.ts";
import type { ServiceKind } from "../../../shared/store/keys.ts";
import { contentWithVariables, contentWithYaml } from "./changeService.ts";
import type { serviceRoutes } from "./routes.ts";
import { toLoad, toNewService } from "./wire.ts";

type All = Previews<typeof serviceRoutes>;

interface DefinitionPreviews {
  create: All["createTestService"];
  load: All["loadTestTemplate"];
  replace: All["replaceTestService"];
  setVariables: All["setTestServiceVariables"];
  remove: All["removeTestService"];
}

/** `dryRun=true` on the services of one kind. */
export function previewsOf(kind: ServiceKind): DefinitionPreviews {
  return {
    create: ({ query, body }) => previewCreation({ ...query, kind, ...toNewService(body) }),
    load: ({ body }) => previewCreation({ kind, ...toLoad(body) }),
    replace: async ({ params: { serviceName: name }, query, body }) => {
      const { before, content } = await contentWithYaml({ ...query, kind, name }, body);
      return previewContent(name, before, content);
    },
    setVariables: async ({ params: { serviceName: name }, query, body }) => {
      const { before, content } = await contentWithVariables({ ...query, kind, name }, body.service_variable_kvs);
      return previewContent(name, before, content);
    },
    remove: async ({ params: { serviceName: name }, query: { projectKey } }) =>
      previewDefinition(name, await findService(projectKey, kind, name), undefined),
  };
}
