/** What a registry asks for in a 401: a password, or a token of the service at `realm`. */
export type Challenge = { kind: "basic" } | { kind: "bearer"; realm: string; service: string };

/** Reads a `WWW-Authenticate` header; Bearer goes before Basic. Undefined when it asks for neither. */
export function readChallenge(header: string): Challenge | undefined {
  const bearer = /(?:^|,)\s*bearer\s+(.*)$/i.exec(header)?.[1];
  if (bearer !== undefined) {
    const found = new Map(
      [...bearer.matchAll(/([a-z_]+)=(?:"([^"]*)"|([^",\s]+))/gi)].map(([, key = "", quoted, bare]) => [
        key.toLowerCase(),
        quoted ?? bare ?? "",
      ]),
    );
    const realm = found.get("realm") ?? "";
    if (URL.canParse(realm)) return { kind: "bearer", realm, service: found.get("service") ?? "" };
  }
  return /(?:^|,)\s*basic(?:\s|$)/i.test(header) ? { kind: "basic" } : undefined;
}
