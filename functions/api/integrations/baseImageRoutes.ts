import * as z from "zod";
import { recordRoutes } from "../../../shared/http/recordRoutes.ts";
import { imageReference, madeRecord, plainName } from "../../../shared/http/schemas.ts";
import { builtInLabels } from "../../../shared/integrations/store/baseImages.ts";

export const newBaseImage = z.object({
  label: plainName().refine(
    (label) => !builtInLabels.some((builtIn) => builtIn === label),
    "is the label of an image that is always there",
  ),
  value: imageReference("value"),
  image_from: z.literal("custom", "must be custom").default("custom"),
});

export const baseImage = z
  .object({ id: z.string(), value: z.string(), label: z.string(), image_from: z.enum(["custom", "koderover"]) })
  .meta({ id: "BaseImage" });

const routes = recordRoutes(
  {
    path: "/api/aslan/system/basicImages",
    idForm: "hex",
    tag: "Base images",
    function: "Base Image",
    noun: "a base image",
    nouns: "base images",
    nameField: "label",
  },
  { added: newBaseImage, changed: newBaseImage, listed: z.array(baseImage), shown: baseImage, made: madeRecord },
);

export const baseImageRoutes = {
  listBaseImages: {
    ...routes.list,
    summary: "List all base images by label, behind those that are always there",
    query: z.object({
      image_from: z
        .enum(["", "custom", "koderover"], "must be custom or koderover")
        .default("")
        .meta({ description: "`koderover`: those that are always there; `custom`: the others" }),
    }),
  },
  addBaseImage: routes.add,
  getBaseImage: routes.read,
  updateBaseImage: routes.change,
  deleteBaseImage: routes.remove,
};
