import type * as z from "zod";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { recordHandlers } from "../../../shared/http/recordHandlers.ts";
import { baseImages } from "../../../shared/integrations/store/baseImages.ts";
import type { baseImageRoutes, newBaseImage } from "./baseImageRoutes.ts";

const sort = { noun: "base image", nameField: "label", records: baseImages };

const { list, add, read, change, remove } = recordHandlers(sort, {
  recordOf: (id, { label, value }: z.output<typeof newBaseImage>) => {
    return { id, name: label, shown: { label, value }, kept: {}, secretFields: [] };
  },
  answerOf: ({ id, shown: { label, value } }) => ({ id, value, label, image_from: "custom" as const }),
});

export const baseImageHandlers: Handlers<typeof baseImageRoutes> = {
  listBaseImages: list,
  addBaseImage: add,
  getBaseImage: read,
  updateBaseImage: change,
  deleteBaseImage: remove,
};
