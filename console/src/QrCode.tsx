import { encode } from "uqr";

/** A text as a QR code: dark on white in both colours of the console, because that is what cameras read. */
export function QrCode({ text, label }: { text: string; label: string }) {
  // Four modules of white around it, as ISO/IEC 18004 has it.
  const { data, size } = encode(text, { ecc: "M", border: 4 });
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg className="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#ffffff" />
      <path d={squares.join("")} fill="#000000" />
    </svg>
  );
}
