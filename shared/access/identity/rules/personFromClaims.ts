/** A person as an identity provider describes one, in the form that users here have. */
export interface ClaimedPerson {
  account: string;
  name: string;
  email: string;
  phone: string;
  /** Names of groups; absent: the provider said nothing about groups. */
  groups?: readonly string[];
}

const accountForm = /^(?=.{1,32}$)(?!\s)[^/\\?#%\p{Cc}]*[^/\\?#%\p{Cc}\s]$/u;

/**
 * Reads the standard claims. Only an address that the provider has not called unverified is taken.
 * @returns undefined when no claim can be an account: at most 32 characters, none of them `/ \ ? # %`
 */
export function personFromClaims(
  claims: Readonly<Record<string, unknown>>,
  groupsClaim: string,
): ClaimedPerson | undefined {
  const text = (name: string): string => (typeof claims[name] === "string" ? claims[name] : "");
  const email = claims.email_verified === false ? "" : text("email");
  const account = [text("preferred_username"), email, text("sub")].find((candidate) => accountForm.test(candidate));
  if (account === undefined) return undefined;
  const groups = claims[groupsClaim];
  return {
    account,
    name: (text("name") || account).slice(0, 32),
    email: email.length <= 100 ? email : "",
    phone: text("phone_number").length <= 16 ? text("phone_number") : "",
    ...(Array.isArray(groups) && { groups: groups.filter((group) => typeof group === "string") }),
  };
}
