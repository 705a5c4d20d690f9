import { X509Certificate } from "node:crypto";
import { neverReached } from "../../base/settings/addressClass.ts";
import { swrRegion } from "./swrRegion.ts";

/** Contract S 2.4; `nexus` and `native` are logged in to like any other registry. */
export const registryProviders = ["acr", "tcr", "swr", "ecr", "dockerhub", "harbor", "nexus", "native"] as const;

export interface RegistryFacts {
  provider: string;
  address: string;
  namespace: string;
  region: string;
  hasKeys: boolean;
  enableTls: boolean;
  hasCertificate: boolean;
  roleArn: string;
  externalId: string;
}

export interface RegistryProblem {
  field: "address" | "namespace" | "region" | "tls_cert" | "role_arn" | "external_id";
  problem: string;
}

/** What the fields of a registry demand of each other (contract D 4.3, 4.6). */
export function registryProblems(facts: RegistryFacts): RegistryProblem[] {
  const { provider, namespace, region, enableTls, hasCertificate, hasKeys } = facts;
  const problems: RegistryProblem[] = [];
  if (namespace === "" && provider !== "ecr")
    problems.push({ field: "namespace", problem: "namespace cannot be empty" });
  if (region === "" && provider === "ecr")
    problems.push({ field: "region", problem: "region is a required field for ECR provider" });
  if (provider === "swr" && hasKeys && swrRegion(facts) === "")
    problems.push({ field: "region", problem: "is required for SWR unless the address is swr.<region>.<domain>" });
  if (provider === "ecr" && !hasKeys && !isEcrAddress(facts.address))
    problems.push({
      field: "address",
      // Without keys the platform's own login is sent there, so it must be Amazon's.
      problem: "without keys must be https://<account>.dkr.ecr.<region>.amazonaws.com",
    });
  if (provider !== "ecr" && facts.roleArn !== "")
    problems.push({ field: "role_arn", problem: "is for provider ecr only; leave it out" });
  if (facts.externalId !== "" && facts.roleArn === "")
    problems.push({ field: "external_id", problem: "is heard by a role only; name it in role_arn or leave it out" });
  if (enableTls && !hasCertificate)
    problems.push({ field: "tls_cert", problem: "is required when enable_tls is true" });
  return problems;
}

/** Why a text is no address of a registry; undefined when it is one. */
export function addressProblem(address: string): string | undefined {
  if (address === "") return "address cannot be empty";
  const url = /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(address) ? URL.parse(address) : null;
  if (url === null || url.host === "") return "address needs to be a valid URL such as https://registry.example.com";
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must begin with https:// or http://";
  if (url.username !== "" || url.password !== "") return "must not hold credentials; use access_key and secret_key";
  if (/[?#]/.test(address)) return "must not have a query or a fragment";
  return neverReached(url.hostname);
}

/** Parts of an image name, as registries take them. */
export const namespaceForm = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;

/** The platform may take on roles of that name alone, in any account (decisions 14.8). */
export const roleForm = /^arn:aws[a-z-]*:iam::\d{12}:role\/slipway-[\w+=,.@-]{1,56}$/;
export const externalIdForm = /^[\w+=,.@:/-]{2,1224}$/;

/** A region becomes part of a host name. */
export const regionForm = /^[a-z0-9]+(-[a-z0-9]+)*$/;

export function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

export function isEcrAddress(address: string): boolean {
  return /^https:\/\/\d{12}\.dkr\.ecr(-fips)?\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\/?$/.test(address);
}
