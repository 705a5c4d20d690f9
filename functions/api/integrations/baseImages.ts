import type * as z from "zod";
import { addRecord, changeRecord, requireRecord } from "../../../shared/catalog/keepRecord.ts";
import { removeRecord } from "../../../shared/catalog/removeRecord.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { type BaseImage, baseImages } from "../../../shared/integrations/store/baseImages.ts";
import type { Integration, ListedIntegration } from "../../../shared/integrations/store/integrationStore.ts";
import { newId } from "../../../shared/store/ids.ts";
import type { baseImage, baseImageRoutes, newBaseImage } from "./baseImageRoutes.ts";

const sort = { noun: "base image", nameField: "label", records: baseImages };

export const baseImageHandlers: Handlers<typeof baseImageRoutes> = {
  listBaseImages: async () => (await baseImages.list()).map(answerOf),
  addBaseImage: async ({ body }) => {
    const id = newId();
    await addRecord(sort, recordOf(id, body));
    return { ...success, id };
  },
  getBaseImage: async ({ params }) => answerOf(await requireRecord(sort, params.id)),
  updateBaseImage: async ({ params, body }) => {
    await changeRecord(sort, params.id, () => recordOf(params.id, body));
    return success;
  },
  deleteBaseImage: async ({ params }) => {
    await removeRecord(sort, params.id);
    return success;
  },
};

function recordOf(id: string, { label, value }: z.output<typeof newBaseImage>): Integration<BaseImage> {
  return { id, name: label, shown: { label, value }, kept: {}, secretFields: [] };
}

function answerOf({ id, shown: { label, value } }: ListedIntegration<BaseImage>): z.input<typeof baseImage> {
  return { id, value, label, image_from: "custom" };
}
