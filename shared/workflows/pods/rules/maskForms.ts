/** A text to mask. */
export interface MaskForm {
  bytes: Buffer;
  /** It must not be inside a word: it is too short to be a secret wherever its letters are. */
  isWord: boolean;
}

/** Characters of a secret below which it is masked as a word alone. */
const shortest = 4;

/**
 * Everything that a secret may be printed as: as it is; as JSON has it between quotes; as addresses have it; and in
 * base64, where it may begin at each of three places of a group and may be a part of more. Of one with several lines each line, too.
 */
export function maskForms(secrets: readonly string[]): MaskForm[] {
  const forms = new Map<string, MaskForm>();
  for (const text of [...secrets, ...secrets.flatMap(linesOf).filter((line) => line.length >= shortest)]) {
    if (text.trim() === "") continue;
    const isWord = [...text].length < shortest;
    for (const form of isWord ? wordForms(text) : allForms(text)) {
      const before = forms.get(form);
      forms.set(form, { bytes: Buffer.from(form), isWord: isWord && before?.isWord !== false });
    }
  }
  return [...forms.values()];
}

/** The lines of a text of several; none of one that has one. */
export function linesOf(secret: string): string[] {
  return /[\r\n]/.test(secret) ? secret.split(/[\r\n]+/).map((line) => line.trim()) : [];
}

function allForms(text: string): string[] {
  return [text, ...jsonForms(text), ...addressForms(text), ...base64Forms(Buffer.from(text))];
}

function wordForms(text: string): string[] {
  const encoded = Buffer.from(text).toString("base64");
  return [text, ...jsonForms(text), ...addressForms(text), encoded, encoded.replace(/=+$/, "")];
}

/** As JavaScript, Python (all of ASCII), Go (nothing of HTML) and PHP (slashes) write it. */
function jsonForms(text: string): string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const unit = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const ascii = plain.replace(/[^\x20-\x7e]/g, unit);
  return [plain, ascii, plain.replace(/[<>&]/g, unit), plain.replaceAll("/", "\\/"), ascii.replaceAll("/", "\\/")];
}

/** By encodeURIComponent, RFC 3986, and as paths and forms have it, with hexadecimal digits of both cases. */
function addressForms(text: string): string[] {
  // Half a surrogate pair has no UTF-8.
  const component = encodeURIComponent(text.toWellFormed());
  const strict = component.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const upper = [component, strict, strict.replaceAll("%2F", "/"), strict.replaceAll("%20", "+")];
  return [...upper, ...upper.map((one) => one.replace(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase()))];
}

/** A line of `base64` and one of `openssl base64`, in characters. */
const wrappedAt = [76, 64];

function base64Forms(bytes: Buffer): string[] {
  const forms: string[] = [];
  for (const before of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    // Characters that others, before or behind, have a part in are left out, but for a secret that is the end.
    const own = encoded.slice(Math.ceil((before * 8) / 6));
    const whole = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    forms.push(own, whole);
  }
  const all = bytes.toString("base64");
  for (const width of wrappedAt)
    for (let at = 0; all.length > width && at < all.length; at += width)
      forms.push(all.slice(at, at + width).replace(/=+$/, ""));
  const safe = (form: string) => form.replaceAll("+", "-").replaceAll("/", "_");
  return [...forms, ...forms.map(safe)].filter((form) => form.length >= shortest);
}
