import { createHmac } from "node:crypto";

export type Vendor = "github" | "gitlab" | "gitea" | "gitee";

const hex = (text: string, key: string) => createHmac("sha256", key).update(text).digest("hex");

/** The headers of a call, as a code host signs it. */
export function signed(vendor: Vendor, text: string, event: string, id: string, key: string): Record<string, string> {
  switch (vendor) {
    case "github":
      return {
        "x-github-event": event,
        "x-github-delivery": id,
        "x-hub-signature-256": `sha256=${hex(text, key)}`,
      };
    case "gitlab":
      return { "x-gitlab-event": event, "x-gitlab-event-uuid": id, "x-gitlab-token": key };
    case "gitea":
      // Gitea says GitHub's header, too.
      return {
        ...{ "x-gitea-event": event, "x-github-event": event, "x-gitea-delivery": id },
        "x-gitea-signature": hex(text, key),
      };
    case "gitee": {
      const time = "1700000000000";
      const token = createHmac("sha256", key).update(`${time}\n${key}`).digest("base64");
      return { "x-gitee-event": event, "x-gitee-timestamp": time, "x-gitee-token": token };
    }
  }
}
