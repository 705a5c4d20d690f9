import { spawnSync } from "node:child_process";

const program = `
import email, email.policy, json, sys
mail = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
defects = [str(one) for part in mail.walk() for one in part.defects]
defects += [f"{name}: {one}" for name, value in mail.items() for one in getattr(value, "defects", [])]
print(json.dumps({
    "defects": defects,
    "subject": str(mail["subject"]),
    "from": [[one.display_name, one.addr_spec] for one in mail["from"].addresses],
    "to": [one.addr_spec for one in mail["to"].addresses],
    "time": mail["date"].datetime.timestamp(),
    "type": mail.get_content_type(),
    "parts": [[part.get_content_type(), part.get_content()] for part in mail.iter_parts()],
}))
`;

export interface ParsedMail {
  /** What breaks a rule of the format. */
  defects: string[];
  subject: string;
  /** Names and addresses. */
  from: [string, string][];
  to: string[];
  /** Unix seconds. */
  time: number;
  type: string;
  /** Content types and decoded texts. */
  parts: [string, string][];
}

/** Whether the reader of mails is there: that of Python. */
export const readsMails = spawnSync("python3", ["-c", "import email.policy"]).status === 0;

/** A mail as a reader of mails has it, and not as whoever composed it. */
export function parsedMail(source: Buffer): ParsedMail {
  const { status, stdout, stderr } = spawnSync("python3", ["-c", program], { input: source });
  if (status !== 0) throw new Error(`the mail cannot be read: ${stderr}`);
  return JSON.parse(stdout.toString("utf8"));
}
