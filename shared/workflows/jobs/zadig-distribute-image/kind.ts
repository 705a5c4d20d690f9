import * as z from "zod";
import { optionsOf } from "../../definition/definitionOptions.ts";
import type { JobKind } from "../../definition/jobKind.ts";
import { selection, serviceModule } from "../../definition/specParts.ts";
import { flag, listOf, requiredText, text, whole } from "../../definition/wireFields.ts";

/** All images of a job are in one record. */
const mostImages = 200;

const imagePush = "must be image_push: Slipway copies by itself, and cannot ask a cloud to do it (cloud_sync)";

/** `source_image` and `target_image` are what Zadig shows of an image; they are made of the other fields when the job runs. */
const targets = listOf(
  z.looseObject({
    ...serviceModule,
    ...{ source_tag: text, target_tag: text, image_name: text, source_image: text, target_image: text },
    update_tag: flag,
  }),
).refine((list) => list.length <= mostImages, `must have at most ${mostImages} images`);
export type DistributeTarget = z.output<typeof targets>[number];

/** Images are copied to another registry; `timeout` in minutes. */
export const kind = {
  type: "zadig-distribute-image",
  words: ["Image Distribution", "镜像分发"],
  schema: z.looseObject({
    ...selection,
    distribute_method: z.enum(["", "image_push"], imagePush).nullish(),
    ...{ source_registry_id: text, target_registry_id: text },
    targets,
    timeout: whole,
    ...{ enable_target_image_tag_rule: flag, target_image_tag_rule: text },
    /** `amd64`, `linux/arm/v7`, … with commas: only these of an image for several; empty: all. */
    architecture: requiredText
      .regex(
        /^(?:\s*[a-z0-9_]+(?:\/[a-z0-9_.]+){0,2}\s*(?:,(?=.)|$))*$/i,
        "must be architectures with commas between them, as amd64,linux/arm64",
      )
      .nullish(),
  }),
  options: (spec) => ({
    ...spec,
    target_options: optionsOf(spec, "target_options", "targets", ["service_name", "service_module"]),
  }),
  isOneTask: true,
  givesImages: true,
  tells: true,
} as const satisfies JobKind;
