/**
 * Every error code that the API answers with, and its public message (contract I 15, decisions 1.2).
 *
 * Codes below 1000 are HTTP statuses; every other code travels with HTTP 400. Where the contract lists two meanings
 * under one code, the message is the general one and the `description` of the answer tells which.
 */
export const errorCatalogue = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Request Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Payload Too Large",
  422: "Unprocessable Entity",
  429: "Too Many Requests",
  500: "Internal Error: ",
  503: "Service Unavailable",
  507: "Insufficient Storage",

  6000: "failed to create user",
  6001: "failed to update user",
  6003: "third-party login callback failed",
  6040: "failed to create template",
  6041: "failed to update template",
  6044: "failed to delete template",
  6045: "failed to validate template",
  6058: "chart dry run failed, service not saved",
  6060: "failed to create project",
  6074: "failed to create environment",
  6076: "failed to update environment",
  6077: "failed to delete environment",
  6078: "failed to get environment",
  6079: "failed to set or get entry service",
  6080: "failed to restart service",
  6081: "failed to scale service",
  6082: "failed to update service image",
  6083: "failed to get service",
  6085: "failed to list service pods",
  6086: "failed to delete service pods",
  6088: "failed to list service configurations",
  6089: "failed to update service configuration",
  6090: "failed to create service configuration",
  6092: "failed to update service",
  6093: "failed to list service events",
  6094: "failed to list resources",
  6095: "failed to update resource",
  6096: "failed to delete resource",

  6153: "failed to get pod detail",
  6160: "failed to create workflow task",
  6163: "failed to cancel workflow task",
  6164: "failed to retry workflow task",
  6168: "failed to create workflow task",
  6169: "failed to approve workflow task",
  6190: "failed to get counter",
  6280: "failed to list images",
  6281: "image registry not found",

  6400: "failed to create namespace",
  6403: "failed to list cluster resources",
  6520: "failed to create build",
  6521: "failed to update build",
  6524: "failed to delete build",
  6529: "failed to create test",
  6530: "failed to update test",
  6533: "failed to delete test",
  6535: "failed to create code scan",
  6536: "failed to update code scan",
  6540: "failed to create or update workflow",
  6542: "failed to find workflow",
  6545: "workflow validation failed",
  6560: "failed to create version",
  6563: "failed to get version",
  6566: "version check failed",
  6641: "failed to create cluster",
  6642: "failed to update cluster",
  6644: "failed to delete cluster",
  6645: "failed to delete cluster scheduling strategy",
  6652: "failed to list operation logs",
  6892: "failed to create workflow view",
} as const;

export type ErrorCode = keyof typeof errorCatalogue;

/** HTTP status that accompanies a code (contract I 2.2): the code itself below 1000, otherwise 400. */
export function statusOfCode(code: ErrorCode): number {
  return code < 1000 ? code : 400;
}
