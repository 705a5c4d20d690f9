import * as z from "zod";
import type { JobKind } from "../../definition/jobKind.ts";
import { filledText, listOf, text } from "../../definition/wireFields.ts";

/** Issues of Jira are moved to a status: those of `issues`, or what `jql` finds where `query_type` is `advanced`. */
export const kind = {
  type: "jira",
  words: ["Jira Issue Status", "Jira 状态变更"],
  schema: z.looseObject({
    jira_id: filledText,
    ...{ project_id: text, issue_type: text, query_type: text, jql: text, target_status: text, source: text },
    issues: listOf(z.looseObject({ key: filledText, name: text, target_status: text })),
    field_mappings: listOf(z.looseObject({})).refine(
      (mappings) => mappings.length === 0,
      "must be empty: only the status of an issue is changed here",
    ),
  }),
  uses: { kind: "issue-tracker", field: "jira_id" },
  tells: true,
} as const satisfies JobKind;
