/** Tells whether a JSON text nests deeper than `limit`, in one pass and without parsing it. */
export function tooDeep(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (inString) {
      if (character === 0x5c) at++;
      else if (character === 0x22) inString = false;
    } else if (character === 0x22) inString = true;
    else if (character === 0x7b || character === 0x5b) {
      if (++depth > limit) return true;
    } else if (character === 0x7d || character === 0x5d) depth--;
  }
  return false;
}
