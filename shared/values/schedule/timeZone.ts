/** What is wrong with the name of a time zone, as users read it; undefined when it is one of IANA's. */
export function timeZoneProblem(name: string): string | undefined {
  const right = "must be an IANA time zone such as Europe/Berlin, Asia/Shanghai or UTC";
  if (!/^[A-Za-z][\w+/-]{0,49}$/.test(name)) return right;
  const known = resolved(name);
  if (known === undefined) return right;
  // The scheduler takes the spelling exactly.
  return known !== name && known.toLowerCase() === name.toLowerCase() ? `is written ${known}` : undefined;
}

function resolved(timeZone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
