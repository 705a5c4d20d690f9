import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { CodeHostType } from "../rules/codeHosts/providers.ts";
import { integrationStore } from "./integrationStore.ts";

export const authTypes = ["token", "password", "ssh"] as const;

export interface CodeHost {
  type: CodeHostType;
  /** As it was given. */
  address: string;
  /** What builds name it by. */
  alias: string;
  authType: (typeof authTypes)[number];
  /** Empty unless one was given. */
  username: string;
  /** The server's certificate is not checked. */
  disableSsl: boolean;
}

/** Sealed fields are `access_token`, `password` and `ssh_key`: the one of its way to sign in; and `webhook_secret`. */
export const codeHosts = integrationStore<CodeHost>("code-host");

/** Code hosts are numbered; a number is never given twice. */
export async function newCodeHostId(): Promise<string> {
  const { value } = await table().add(keys.counter("code-hosts"), 1);
  return String(value);
}
