/** One event of a calendar. */
export interface CalendarEvent {
  /** The same whenever the event is written, and no other event's. */
  uid: string;
  /** Unix seconds, up to the year 9999. An end that is not later than the start is left out: the event takes no time. */
  start: number;
  end: number;
  summary: string;
  description: string;
  category: string;
  status: "TENTATIVE" | "CONFIRMED" | "CANCELLED";
  url?: string | undefined;
}

/** Octets of a line without its end. */
const longestLine = 75;

/** Events as the text of RFC 5545. @param now Unix seconds, when it is written */
export function iCalendar(name: string, events: readonly CalendarEvent[], now: number): string {
  const lines = [
    ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Slipway//Slipway//EN", "CALSCALE:GREGORIAN"],
    `X-WR-CALNAME:${escaped(name)}`,
    ...events.flatMap((event) => linesOf(event, now)),
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join("");
}

/** Transparent: subscribers are not busy because something is released. */
function linesOf(event: CalendarEvent, now: number): string[] {
  const { uid, start, end, summary, description, category, status, url } = event;
  return [
    ...["BEGIN:VEVENT", `UID:${escaped(uid)}`, `DTSTAMP:${utc(now)}`, `DTSTART:${utc(start)}`],
    ...(end > start ? [`DTEND:${utc(end)}`] : []),
    ...[`SUMMARY:${escaped(summary)}`, `DESCRIPTION:${escaped(description)}`, `CATEGORIES:${escaped(category)}`],
    ...[`STATUS:${status}`, "TRANSP:TRANSPARENT", ...(url === undefined ? [] : [`URL:${url}`])],
    "END:VEVENT",
  ];
}

function utc(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/[-:]|\.\d+/g, "");
}

/** A text may hold a tab and a written line break, but no other control character. */
function escaped(text: string): string {
  return text
    .replace(/[\\;,]/g, "\\$&")
    .replace(/\r\n|[\r\n]/g, "\\n")
    .replace(/(?!\t)\p{Cc}/gu, "");
}

/** Goes on in lines that begin with a space, and never inside of a character. */
function folded(line: string): string {
  let text = "";
  let left = longestLine;
  for (const character of line) {
    const bytes = Buffer.byteLength(character);
    if (bytes > left) {
      text += "\r\n ";
      left = longestLine - 1;
    }
    text += character;
    left -= bytes;
  }
  return text;
}
