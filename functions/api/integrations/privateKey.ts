const armour = /^-----BEGIN (?:([A-Z]+) )?PRIVATE KEY-----\r?\n([\s\S]+)\r?\n-----END (?:\1 )?PRIVATE KEY-----\s*$/;
/** The beginning of OpenSSH's own form: magic, then the cipher's name with its length before it. */
const openSshMagic = "openssh-key-v1\0";

/** Why a text is no private key that a job can sign in with; undefined when it is one. */
export function privateKeyProblem(text: string): string | undefined {
  const found = armour.exec(text.trimStart());
  if (found === null)
    return "must be a private key in PEM: -----BEGIN … PRIVATE KEY----- to -----END … PRIVATE KEY-----";
  const [, form = "", content = ""] = found;
  const isLocked = form === "ENCRYPTED" || /^Proc-Type: *4,ENCRYPTED/m.test(content);
  if (isLocked || (form === "OPENSSH" && cipherOf(content) !== "none"))
    return "must be a private key without a passphrase, which no job could type";
  return undefined;
}

function cipherOf(base64: string): string {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.subarray(0, openSshMagic.length).toString("latin1") !== openSshMagic) return "";
  const at = openSshMagic.length;
  const length = bytes.length < at + 4 ? 0 : bytes.readUInt32BE(at);
  return bytes.subarray(at + 4, at + 4 + length).toString("latin1");
}
