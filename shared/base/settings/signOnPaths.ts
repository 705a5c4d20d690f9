/** Where an identity provider sends browsers back to, behind the address of the API: a page of the console, or the API. */
export const signOnPaths = ["/console/signed-on", "/api/v1/sso/callback"] as const;
