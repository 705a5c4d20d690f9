const right = "must be an IANA time zone such as Europe/Berlin, Asia/Shanghai or UTC";

/** Areas of IANA's names; ICU knows others, of other systems. */
const area =
  /^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|US)\/[A-Z]/i;
const spelling = /^(?:[A-Z][a-z]+|US)(?:\/[A-Z][\w+-]*)+$/;

/**
 * What is wrong with the name of a time zone, as users read it; undefined when it is UTC, or one of IANA's names in an area,
 * links among them (decisions 19.6). Short names mean different zones to different people.
 */
export function timeZoneProblem(name: string): string | undefined {
  if (name === "UTC") return undefined;
  if (name.length > 50 || !area.test(name)) return right;
  const known = resolved(name);
  if (known === undefined) return right;
  // The scheduler takes the spelling exactly; that of a link is not said by its zone.
  if (known !== name && known.toLowerCase() === name.toLowerCase()) return `is written ${known}`;
  return spelling.test(name) ? undefined : right;
}

function resolved(timeZone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
