/** An element: name, then text or child elements. Elements whose value is undefined are left out. */
export type XmlElement = [name: string, value: string | number | boolean | XmlElement[] | undefined];

const XML_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

/** Writes a document with one root element. */
export function writeXml(root: string, children: XmlElement[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${XML_NAMESPACE}">${children.map(write).join("")}</${root}>`;
}

function write([name, value]: XmlElement): string {
  if (value === undefined) return "";
  return `<${name}>${Array.isArray(value) ? value.map(write).join("") : escapeXml(String(value))}</${name}>`;
}

/** Characters that XML cannot hold even escaped come URL-encoded: listings ask for `encoding-type=url`. */
function escapeXml(text: string): string {
  return text.replace(/[&<>"\r\n\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The texts of all elements of that name that hold nothing but text. */
export function readXmlTexts(document: string, name: string): string[] {
  return [...document.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map((match) =>
    unescapeXml(match[1] ?? ""),
  );
}

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });
}
