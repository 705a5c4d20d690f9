import { rootCertificates } from "node:tls";
import { operatorPolicy } from "../../base/outbound/operatorPolicy.ts";
import type { OutboundRule, TlsOptions } from "../../base/outbound/outboundAgent.ts";
import { unsealCredentials } from "../registries/credentials.ts";
import { registryLogin } from "../registries/registryLogin.ts";
import { localRegistryId, type RegistryRecord } from "../registries/store/registries.ts";
import type { EcrTarget } from "./ecrRepositories.ts";

/** A registry: where it is, how it is trusted and logged in to, and which repositories of it may be touched. */
export interface RegistryAccess {
  /** Registries of the same id share connections, tokens and the limit of one copier. */
  id: string;
  /** `host` or `host:port`. */
  address: string;
  scheme: "http:" | "https:";
  /** What repositories have to begin with, without a slash at the end; empty: any repository. */
  namespace: string;
  /** Which addresses may be connected to for the registry itself. */
  rule: OutboundRule;
  /** Which others may be connected to: where it sends on to, and where it has its logins. */
  elsewhere: OutboundRule;
  /** Trust for the registry's own host. */
  tls: TlsOptions;
  /**
   * Asked when the registry wants to know who calls; undefined for a registry without login. A provider with logins that end
   * answers with one that is still good.
   */
  login: () => Promise<{ username: string; password: string } | undefined>;
  /** What messages advise where the login or the certificate is not taken; of a registry's record unless it says so. */
  advice?: { login: string; trust: string };
  /** Of ecr: what is asked beside the registry's own interface when images go to it. */
  ecr?: () => Promise<EcrTarget>;
}

/**
 * The access that a registry's record gives. A certificate that no public authority signed is trusted when it is the
 * record's `tls_cert` and `enable_tls` is set; nothing else is.
 */
export async function registryAccess(record: RegistryRecord): Promise<RegistryAccess> {
  const url = new URL(record.address);
  const { tlsCert } = record.enableTls ? await unsealCredentials(record) : { tlsCert: "" };
  return {
    id: record.registryId,
    address: url.host,
    scheme: url.protocol === "http:" ? "http:" : "https:",
    namespace: [url.pathname.replace(/^\/+|\/+$/g, ""), record.namespace].filter((part) => part !== "").join("/"),
    rule: record.registryId === localRegistryId ? "unchecked" : operatorPolicy(),
    elsewhere: operatorPolicy(),
    tls: tlsCert === "" ? {} : { ca: [...rootCertificates, tlsCert] },
    login: async () => {
      const { username, password } = await registryLogin(record);
      return username === "" && password === "" ? undefined : { username, password };
    },
    ...(record.provider === "ecr" && { ecr: () => ecrTarget(record) }),
  };
}

async function ecrTarget(record: RegistryRecord): Promise<EcrTarget> {
  const { region, roleArn = "", externalId = "", scanOnPush = true, immutableTags = false } = record;
  const { accessKey, secretKey } = await unsealCredentials(record);
  return { region, accessKey, secretKey, roleArn, externalId, scanOnPush, immutableTags };
}

/** A registry that is not registered, read without login over https. */
export function publicAccess(address: string): RegistryAccess {
  const id = `public:${address}`;
  return {
    id,
    address,
    scheme: "https:",
    namespace: "",
    rule: operatorPolicy(),
    elsewhere: operatorPolicy(),
    tls: {},
    login: async () => undefined,
  };
}
