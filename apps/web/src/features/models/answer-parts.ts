import { isRecord } from '../../lib/api-error.ts'

/** The answer of a tool in the shape of the protocol. */
export interface WireAnswer {
  readonly content: readonly Readonly<Record<string, unknown>>[]
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
}

/** A part of an answer, as the page shows it. */
export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string }
  /** A `data:` address. */
  | { readonly kind: 'picture'; readonly url: string }
  | { readonly kind: 'sound'; readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string }

/** Types of pictures that browsers draw without running anything. */
const PICTURE = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)$/
const BASE64 = /^[\w+/\s-]*={0,2}\s*$/

/** The parts of an answer in order. What the page cannot show stands as JSON. */
export function listAnswerParts(answer: WireAnswer): readonly { readonly id: number; readonly part: AnswerPart }[] {
  const { content, structuredContent } = answer
  const parts = content.map(toPart)
  const isAlone = parts.length === 0 && structuredContent !== undefined
  return (isAlone ? [toText(structuredContent)] : parts).map((part, id) => ({ id, part }))
}

function toText(value: unknown): AnswerPart {
  return { kind: 'text', text: JSON.stringify(value, undefined, 2) }
}

function toPart(block: Readonly<Record<string, unknown>>): AnswerPart {
  const { type, text, resource } = block
  if (type === 'text' && typeof text === 'string') return { kind: 'text', text }
  if (type === 'resource' && isRecord(resource)) {
    if (typeof resource.text === 'string') return { kind: 'text', text: resource.text }
    return toMedium(resource.blob, resource.mimeType) ?? toText(block)
  }
  return toMedium(block.data, block.mimeType) ?? toText(block)
}

function toMedium(data: unknown, type: unknown): AnswerPart | undefined {
  if (typeof data !== 'string' || typeof type !== 'string' || !BASE64.test(data)) return undefined
  if (PICTURE.test(type)) return { kind: 'picture', url: `data:${type};base64,${data}` }
  if (!type.startsWith('audio/')) return undefined
  try {
    return { kind: 'sound', bytes: Uint8Array.from(atob(data), (char) => char.charCodeAt(0)), type }
  } catch {
    return undefined
  }
}
