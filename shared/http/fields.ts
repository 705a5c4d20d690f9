import * as z from "zod";
import { neverReached } from "../base/settings/addressClass.ts";
import { filled } from "./schemas.ts";

/**
 * An address that jobs go to. What is never reached is refused; the rest is decided when it is used (decisions 5.8).
 * @param schemes without the colon
 */
export function address(name: string, schemes: readonly string[]) {
  return filled(name, 512).superRefine((text, context) => {
    const message = addressProblem(text, schemes);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });
}

/** An address that is called as it is, query included; otherwise like `address`. */
export function hookAddress(name: string) {
  return filled(name, 2048).superRefine((text, context) => {
    const message = addressProblem(text.replace(/[?].*$/s, ""), ["https", "http"]);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });
}

function addressProblem(text: string, schemes: readonly string[]): string | undefined {
  const url = /^[a-z][a-z0-9+.-]*:\/\/[^/\s]/i.test(text) && !/[\s\\]/.test(text) ? URL.parse(text) : null;
  if (url === null || url.hostname === "") return `must be a URL such as ${schemes[0]}://host.example.com`;
  if (!schemes.some((scheme) => url.protocol === `${scheme}:`))
    return `must begin with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}`;
  const user = url.protocol === "ssh:" ? "" : url.username;
  if (user !== "" || url.password !== "") return "must not hold credentials; they have fields of their own";
  if (/[?#]/.test(text)) return "must not have a query or a fragment";
  return neverReached(url.hostname);
}

/** A secret that travels in a header or a command line of a protocol; empty means not given. */
export function secretLine(most = 4096) {
  return z
    .string()
    .max(most, `must have at most ${most} characters`)
    .refine((text) => !/[\p{Cc}]/u.test(text), "must not contain control characters or line breaks");
}

/** A text of one line; empty means none. */
export function optionalLine(most: number) {
  return z
    .string()
    .max(most, `must have at most ${most} characters`)
    .refine((text) => !/\p{Cc}/u.test(text), "must not contain control characters or line breaks")
    .refine((text) => text === text.trim(), "must not begin or end with white space");
}
