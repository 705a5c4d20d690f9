import type * as z from "zod";
import type { operatorSettings } from "./operatorSettings.ts";
import { parseOutboundPolicy } from "./outboundPolicy.ts";
import { signOnPaths } from "./signOnPaths.ts";

type Settings = z.output<typeof operatorSettings>;

const kinds = /^\s*([A-Z][A-Za-z0-9]*\s*(,\s*[A-Z][A-Za-z0-9]*\s*)*)?$/;
const provider = ["SLIPWAY_OIDC_ISSUER", "SLIPWAY_OIDC_CLIENT_ID", "SLIPWAY_OIDC_REDIRECT_URI"] as const;

/**
 * What is wrong with settings beyond the form of each, as `NAME what would be right`; none when they can be used.
 * Called where settings are handed to the functions, which need not carry it.
 */
export function settingProblems(settings: Settings): string[] {
  return [
    ...outboundProblems(settings),
    ...(kinds.test(settings.SLIPWAY_CLUSTER_SCOPED_KINDS ?? "")
      ? []
      : ["SLIPWAY_CLUSTER_SCOPED_KINDS must be a comma list of kinds such as ClusterRole,StorageClass"]),
    ...providerProblems(settings),
  ];
}

function outboundProblems({ SLIPWAY_OUTBOUND_ALLOW: list }: Settings): string[] {
  try {
    parseOutboundPolicy(list);
    return [];
  } catch (error) {
    return [`SLIPWAY_OUTBOUND_ALLOW ${(error as RangeError).message}`];
  }
}

function providerProblems(settings: Settings): string[] {
  const { SLIPWAY_OIDC_REDIRECT_URI: redirect, SLIPWAY_OIDC_SCOPES: scopes } = settings;
  const missing = provider.filter((name) => settings[name] === undefined);
  const isPartly = missing.length > 0 && missing.length < provider.length;
  return [
    ...(isPartly
      ? missing.map((name) => `${name} is required beside the other settings of the identity provider`)
      : []),
    ...(redirect === undefined || signOnPaths.some((path) => redirect.endsWith(path))
      ? []
      : [`SLIPWAY_OIDC_REDIRECT_URI must end in ${signOnPaths.join(" or ")}`]),
    ...(scopes.split(" ").includes("openid") ? [] : ["SLIPWAY_OIDC_SCOPES must name the scope openid"]),
  ];
}
