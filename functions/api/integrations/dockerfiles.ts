import type * as z from "zod";
import { newId } from "../../../shared/base/store/ids.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { dockerfileTemplates, pageOfDockerfiles } from "../../../shared/integrations/store/dockerfileTemplates.ts";
import { addRecord, changeRecord, requireRecord } from "../../../shared/workflows/jobDefinitions/keepRecord.ts";
import { removeRecord } from "../../../shared/workflows/jobDefinitions/removeRecord.ts";
import type { dockerfileRoutes, newDockerfile } from "./dockerfileRoutes.ts";

const sort = { noun: "Dockerfile template", nameField: "name", records: dockerfileTemplates };

export const dockerfileHandlers: Handlers<typeof dockerfileRoutes> = {
  listDockerfiles: async ({ query }) => {
    const { templates, total } = await pageOfDockerfiles(query.pageNum, query.pageSize);
    return { dockerfile_template: templates.map(({ id, shown: { name } }) => ({ id, name })), total };
  },
  addDockerfile: async ({ body }) => {
    const id = newId();
    await addRecord(sort, recordOf(id, body));
    return { ...success, id };
  },
  getDockerfile: async ({ params }) => {
    const { id, shown, kept } = await requireRecord(sort, params.id);
    return { id, name: shown.name, content: kept.content };
  },
  updateDockerfile: async ({ params, body }) => {
    await changeRecord(sort, params.id, () => recordOf(params.id, body));
    return success;
  },
  deleteDockerfile: async ({ params }) => {
    await removeRecord(sort, params.id);
    return success;
  },
};

function recordOf(id: string, { name, content }: z.output<typeof newDockerfile>) {
  return { id, name, shown: { name }, kept: { content }, secretFields: [] };
}
