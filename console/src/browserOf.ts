/** Each name is also in the `User-Agent` of those above it. */
const browsers: readonly [name: string, pattern: RegExp][] = [
  ["Edge", /\bEdgA?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Headless)?(?:Chrome|CriOS|Chromium)\//],
  ["Safari", /\bSafari\//],
];
const systems: readonly [name: string, pattern: RegExp][] = [
  ["Android", /\bAndroid\b/],
  ["iOS", /\b(?:iPhone|iPad)\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

/** What people call a browser, from its `User-Agent`: "Firefox, Linux"; of another program its first word. */
export function browserOf(userAgent: string): string {
  const nameIn = (known: typeof browsers) => known.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const browser = nameIn(browsers);
  if (browser === undefined) return userAgent.split(/[\s/(]/)[0] ?? "";
  const system = nameIn(systems);
  return system === undefined ? browser : `${browser}, ${system}`;
}
