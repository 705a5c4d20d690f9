/** Who may see a task and its logs: tests and scans are named by their keys in the place of a workflow's (contract W 14). */
export const mayReadTask = {
  kind: "verb",
  verbs: ["get_workflow"],
  collaboration: "workflow",
  qualityVerbs: { test: ["get_test"], scan: ["get_scan"] },
} as const;
