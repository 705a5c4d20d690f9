import * as z from "zod";
import type { JobKind } from "../../definition/jobKind.ts";
import { filledText, listOf, scalar, text } from "../../definition/wireFields.ts";

const namespaces = listOf(
  z.looseObject({
    ...{ appID: filledText, clusterID: filledText, env: filledText, namespace: filledText, type: text },
    // A namespace that is no list of keys has its text under the key `content`.
    kv: listOf(z.looseObject({ key: filledText, val: scalar })),
  }),
);

/** Keys of namespaces of Apollo are set and released; `namespaceListOption` is what a start form offers. */
export const kind = {
  type: "apollo",
  words: ["Apollo Configuration", "Apollo 配置变更"],
  schema: z.looseObject({ apolloID: filledText, namespaceList: namespaces }),
  uses: { kind: "configuration", field: "apolloID" },
  tells: true,
} as const satisfies JobKind;
