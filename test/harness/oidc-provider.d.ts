/** The part of the package that the tests use; it brings no types of its own. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  interface Account {
    accountId: string;
    claims(): Promise<Record<string, unknown>>;
  }

  export default class Provider {
    constructor(
      issuer: string,
      configuration: Record<string, unknown> & { findAccount(context: unknown, id: string): Promise<Account> },
    );
    callback(): RequestListener;
  }
}
