/** Permission definitions of the specification, section 2.8, in the order of contract I 6.1. */
export const projectResources = {
  Workflow: ["get_workflow", "create_workflow", "edit_workflow", "delete_workflow", "run_workflow", "debug_workflow"],
  Environment: [
    "get_environment",
    "create_environment",
    "config_environment",
    "manage_environment",
    "delete_environment",
    "debug_pod",
  ],
  ProductionEnvironment: [
    "get_production_environment",
    "create_production_environment",
    "config_production_environment",
    "edit_production_environment",
    "delete_production_environment",
    "production_debug_pod",
  ],
  Service: ["get_service", "create_service", "edit_service", "delete_service"],
  ProductionService: [
    "get_production_service",
    "create_production_service",
    "edit_production_service",
    "delete_production_service",
  ],
  Build: ["get_build", "create_build", "edit_build", "delete_build"],
  Test: ["get_test", "create_test", "edit_test", "delete_test", "run_test"],
  Scan: ["get_scan", "create_scan", "edit_scan", "delete_scan", "run_scan"],
  Delivery: ["get_delivery", "create_delivery", "delete_delivery"],
} as const;

/** Verbs that newer clients know (contract I 4.6): accepted in roles, never advertised. */
export const addedActions = [
  "rollback_workflow",
  "restart_environment",
  "rollback_environment",
  "restart_production_environment",
  "rollback_production_environment",
  "scale_environment",
  "scale_production_environment",
  "ssh_pm",
  "override_freeze",
] as const;

/** Verbs of roles in the namespace `*` that guard an endpoint of the API (contract I 4.5). */
export const systemActions = [
  "get_release_plan",
  "create_release_plan",
  "edit_release_plan_metadata",
  "edit_release_plan_subtasks",
  "edit_release_plan_approval",
  "delete_release_plan",
  "edit_config_release_plan",
  "override_freeze",
  "release_get",
  "delivery_get",
  "get_log_operation",
] as const;

export type ProjectAction =
  | (typeof projectResources)[keyof typeof projectResources][number]
  | (typeof addedActions)[number];
export type SystemAction = (typeof systemActions)[number];

/** Verbs of the predefined role `read-only` of every project (contract I 4.4). */
export const readOnlyActions: readonly ProjectAction[] = [
  "get_build",
  "get_delivery",
  "get_environment",
  "get_production_environment",
  "get_production_service",
  "get_scan",
  "get_service",
  "get_test",
  "get_workflow",
];

/** Namespace of the roles that hold for the whole installation. */
export const systemNamespace = "*";
export const systemAdminRole = "admin";
/** Of the namespace `*`: reads every project (contract I 4.2 step 4). */
export const globalReadOnlyRole = "global-read-only";
export const projectAdminRole = "project-admin";
/** The group that every user belongs to without having been put into it: it has no record and no members. */
export const allUsersGroup = "all-users";
export const allUsersGroupId = "00000000-0000-4000-8000-000000000001";

/** Roles made with every project: name → verbs (contract I 4.4). `project-admin` decides by its name alone. */
export const predefinedProjectRoles: Readonly<Record<string, readonly ProjectAction[]>> = {
  [projectAdminRole]: [],
  "read-only": readOnlyActions,
  "read-project-only": [],
};

/** Roles of the installation that are always there; both decide by their names alone (contract I 4.5). */
export const predefinedSystemRoles: Readonly<Record<string, readonly SystemAction[]>> = {
  [systemAdminRole]: [],
  [globalReadOnlyRole]: [],
};
