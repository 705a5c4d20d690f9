import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { GitVendor } from "./gitEvent.ts";

/** What came in, as it came in. */
export interface GitCall {
  headers: Readonly<Record<string, string>>;
  bytes: Buffer;
}

/** Who calls; Gitea says the header of GitHub, too. Undefined: none of them. */
export function vendorOf({ headers }: GitCall): GitVendor | undefined {
  const names: readonly [GitVendor, string][] = [
    ["gitea", "x-gitea-event"],
    ["gitee", "x-gitee-event"],
    ["gitlab", "x-gitlab-event"],
    ["github", "x-github-event"],
  ];
  return names.find(([, header]) => headers[header] !== undefined)?.[0];
}

/** The vendor's own id of the delivery; where it has none, a digest of what it sent (decisions 12.10). */
export function deliveryIdOf(vendor: GitVendor, { headers, bytes }: GitCall): string {
  const digest = () => createHash("sha256").update(bytes).digest("hex");
  const given = {
    github: headers["x-github-delivery"],
    gitea: headers["x-gitea-delivery"],
    gitlab: headers["x-gitlab-event-uuid"],
    gitee: undefined,
  }[vendor];
  return given || digest();
}

/** Whether a sender who knows the secret sent exactly these bytes. */
export function isSignedBy(secret: string, vendor: GitVendor, { headers, bytes }: GitCall): boolean {
  const signature = () => createHmac("sha256", secret).update(bytes).digest("hex");
  switch (vendor) {
    case "github":
      return isSame(headers["x-hub-signature-256"], `sha256=${signature()}`);
    case "gitea":
      return isSame(headers["x-gitea-signature"], signature());
    case "gitlab":
      return isSame(headers["x-gitlab-token"], secret);
    case "gitee": {
      const time = headers["x-gitee-timestamp"] ?? "";
      const signed = createHmac("sha256", secret).update(`${time}\n${secret}`).digest("base64");
      return isSame(headers["x-gitee-token"], secret) || isSame(headers["x-gitee-token"], signed);
    }
  }
}

function isSame(sent: string | undefined, right: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return sent !== undefined && timingSafeEqual(digest(sent), digest(right));
}
