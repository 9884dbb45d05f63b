/** Reversible encodings that a detector can decode. */
export const ENCODINGS = ['base64', 'hex', 'percent', 'html', 'reversed'] as const

/** One of {@link ENCODINGS}. */
export type Encoding = (typeof ENCODINGS)[number]

/** Whether a value is the name of an encoding, spelt exactly. */
export function isEncoding(value: unknown): value is Encoding {
  return ENCODINGS.some((name) => name === value)
}
