import * as z from "zod";
import type { JobKind } from "../../definition/jobKind.ts";
import { filledText, listOf, requiredText, text } from "../../definition/wireFields.ts";

const datas = listOf(z.looseObject({ data_id: filledText, group: filledText, format: text, content: requiredText }));

/** Configurations of Nacos are published; where `nacos_datas` has none, those of `default_nacos_datas`. */
export const kind = {
  type: "nacos",
  words: ["Nacos Configuration", "Nacos 配置变更"],
  schema: z.looseObject({
    ...{ nacos_id: filledText, namespace_id: text, source: text },
    ...{ nacos_datas: datas, default_nacos_datas: datas },
  }),
  uses: { kind: "configuration", field: "nacos_id" },
  tells: true,
} as const satisfies JobKind;
