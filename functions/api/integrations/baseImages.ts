import type * as z from "zod";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { recordHandlers } from "../../../shared/http/recordHandlers.ts";
import { baseImages, builtInImages } from "../../../shared/integrations/store/baseImages.ts";
import type { baseImageRoutes, newBaseImage } from "./baseImageRoutes.ts";

const sort = { noun: "base image", nameField: "label", records: baseImages };

const { list, add, read, change, remove } = recordHandlers(sort, {
  recordOf: (id, { label, value }: z.output<typeof newBaseImage>) => {
    return { id, name: label, shown: { label, value }, kept: {}, secretFields: [] };
  },
  answerOf: ({ id, shown: { label, value } }) => ({ id, value, label, image_from: "custom" as const }),
});

const builtIn = builtInImages.map(({ id, name, label }) => {
  return { id, value: name, label, image_from: "koderover" as const };
});

export const baseImageHandlers: Handlers<typeof baseImageRoutes> = {
  listBaseImages: async ({ query: { image_from: from } }) => [
    ...(from === "custom" ? [] : builtIn),
    ...(from === "koderover" ? [] : await list()),
  ],
  addBaseImage: add,
  getBaseImage: read,
  updateBaseImage: change,
  deleteBaseImage: remove,
};
