import { isFields, tryParseJson } from '../fields.ts'

/** The text that an object was parsed from. */
const SOURCE = Symbol('source')

/**
 * The object that JSON text holds; {@link encodeExactJson} writes it as that very text, so that numbers too long for
 * a double and the order of its keys survive. Nothing where the text is no object.
 */
export function parseExactObject(text: string): Record<string, unknown> | undefined {
  const value = tryParseJson(text)
  if (!isFields(value)) return undefined
  return Object.defineProperty({ ...value }, SOURCE, { value: text.trim() })
}

/** A value as UTF-8 JSON; objects of {@link parseExactObject} as the text they came from. */
export function encodeExactJson(value: unknown): Uint8Array {
  const sources: string[] = []
  // Nobody who writes the value can know the mark.
  const mark = crypto.randomUUID()
  const text = JSON.stringify(value, (_key, member: unknown) => {
    const source = sourceOf(member)
    return source === undefined ? member : `${mark}:${sources.push(source) - 1}`
  })
  const exact =
    sources.length === 0
      ? text
      : text.replace(new RegExp(`"${mark}:(\\d+)"`, 'g'), (_match, index: string) => sources[Number(index)] ?? '{}')
  return new TextEncoder().encode(exact)
}

function sourceOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !(SOURCE in value)) return undefined
  return typeof value[SOURCE] === 'string' ? value[SOURCE] : undefined
}
