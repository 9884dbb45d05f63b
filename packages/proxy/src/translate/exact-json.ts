import { isFields, tryParseJson } from '../fields.ts'

/** The source text of a parsed object. */
const SOURCE = Symbol('source')

/**
 * Parses a JSON object and keeps its text. {@link encodeExactJson} writes that text, so that numbers too long for a
 * double and the order of keys survive. Returns undefined for text that is not an object.
 */
export function parseExactObject(text: string): Record<string, unknown> | undefined {
  const value = tryParseJson(text)
  if (!isFields(value)) return undefined
  return Object.defineProperty({ ...value }, SOURCE, { value: text.trim() })
}

/** Writes a value as UTF-8 JSON; objects of {@link parseExactObject} keep their source text. */
export function encodeExactJson(value: unknown): Uint8Array {
  const sources: string[] = []
  // A random mark, so that no value can contain it.
  const mark = crypto.randomUUID()
  const text = JSON.stringify(value, (_key, member: unknown) => {
    const source = readSource(member)
    return source === undefined ? member : `${mark}:${sources.push(source) - 1}`
  })
  const exact =
    sources.length === 0
      ? text
      : text.replace(new RegExp(`"${mark}:(\\d+)"`, 'g'), (_match, index: string) => sources[Number(index)] ?? '{}')
  return new TextEncoder().encode(exact)
}

function readSource(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !(SOURCE in value)) return undefined
  return typeof value[SOURCE] === 'string' ? value[SOURCE] : undefined
}
