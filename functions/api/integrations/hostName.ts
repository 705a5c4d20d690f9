import { filled } from "../../../shared/http/schemas.ts";

/** A host name or an IP address, without scheme and port. */
const hostForm = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const ipv6Form = /^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*$/;

/** The host of a server that speaks another protocol than HTTP. */
export function hostName(field: string) {
  return filled(field, 253).refine(
    (text) => hostForm.test(text) || ipv6Form.test(text),
    "must be a host name or an IP address, without scheme and port",
  );
}
