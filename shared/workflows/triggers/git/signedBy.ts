import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Signing } from "../../../integrations/rules/codeHosts/provider.ts";
import { codeHostProviders, type GitVendor, gitVendors } from "../../../integrations/rules/codeHosts/providers.ts";

/** What came in, as it came in. */
export interface GitCall {
  headers: Readonly<Record<string, string>>;
  bytes: Buffer;
}

const webhookOf = (vendor: GitVendor) => codeHostProviders[vendor].webhook;

/** The headers by which calls are known, for sentences. */
export const eventHeaders: readonly string[] = gitVendors.map((vendor) => webhookOf(vendor).eventHeader);

/** Who calls; undefined: none of them. Gitea, which comes after GitHub in the list, sends GitHub's header, too. */
export function vendorOf({ headers }: GitCall): GitVendor | undefined {
  return gitVendors.findLast((vendor) => headers[webhookOf(vendor).eventHeader.toLowerCase()] !== undefined);
}

/** The vendor's own id of the delivery; where it has none, a digest of what it sent (decisions 12.10). */
export function deliveryIdOf(vendor: GitVendor, { headers, bytes }: GitCall): string {
  const header = webhookOf(vendor).deliveryHeader?.toLowerCase();
  return (header && headers[header]) || createHash("sha256").update(bytes).digest("hex");
}

/** Whether a sender who knows the secret sent exactly these bytes. */
export function isSignedBy(secret: string, vendor: GitVendor, { headers, bytes }: GitCall): boolean {
  const hmac: Signing["hmac"] = (data, encoding) => createHmac("sha256", secret).update(data).digest(encoding);
  const { signatureHeader, signatures } = webhookOf(vendor);
  const sent = headers[signatureHeader.toLowerCase()];
  return signatures({ secret, headers, bytes, hmac }).some((right) => isSame(sent, right));
}

function isSame(sent: string | undefined, right: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return sent !== undefined && timingSafeEqual(digest(sent), digest(right));
}
