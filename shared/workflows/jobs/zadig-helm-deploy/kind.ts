import type { JobKind } from "../../definition/jobKind.ts";
import { kind as zadigDeploy } from "../zadig-deploy/kind.ts";

/** What a `zadig-deploy` of charts is called where it ran (contract W 5); a client that sends it gets the same job. */
export const kind = {
  ...zadigDeploy,
  type: "zadig-helm-deploy",
  words: ["Helm Deploy", "Helm 部署"],
} as const satisfies JobKind;
