import type { JsonDocument, JsonNode } from '@svc/json'
import type { Span } from '../span.ts'

/** A document that holds strings: the body, JSON text inside one of its strings, or the encoding of a value. */
export interface Layer {
  readonly document: JsonDocument
  /** The place of the layer in the outer one, for writing it back; the body has none. */
  readonly outer:
    | { readonly layer: Layer; readonly node: JsonNode; readonly kind: 'text-of-string' | 'encoded-value' }
    | undefined
}

/** A step of a path: a name of the format, an index, or, below 0, the index of a member with a caller's key. */
export type PathStep = string | number

/** The place of a value in the body. */
export interface Place {
  readonly parent: Place | undefined
  readonly step: PathStep
}

/** The step into JSON text inside a string. */
export const INTO_TEXT = '$'

/** The step of the n-th member of an object with the caller's own keys. */
export function toMemberStep(index: number): number {
  return -1 - index
}

/** Most innermost steps that a path shows; the outer ones of a longer path are left out. */
const MAX_STEPS = 32

/** A path as events show it: `messages[3].content[1].text`. Keys of the caller are left out, because they are text. */
export function toPathText(place: Place): string {
  const steps: PathStep[] = []
  let at: Place | undefined = place
  for (; at !== undefined && steps.length < MAX_STEPS; at = at.parent) steps.push(at.step)
  let path = at === undefined ? '' : '\u2026'
  for (const step of steps.reverse()) {
    if (typeof step === 'number') path += step >= 0 ? `[${step}]` : `.{${-1 - step}}`
    else path += path === '' ? step : `.${step}`
  }
  return path
}

/** The origin of a segment. */
interface SegmentOrigin {
  readonly layer: Layer
  readonly node: JsonNode
  readonly place: Place
  /** The object of a key. */
  readonly object?: JsonNode | undefined
  /** Encodes the text into the string, when it is not the string itself. */
  readonly encode?: ((text: string) => string) | undefined
}

/** One scanned text of a request: a string, a key or a number. */
export class TextSegment {
  /** Never empty, and without halves of surrogate pairs. */
  readonly text: string
  readonly role: 'value' | 'key' | 'number' | 'id'
  /** @internal */
  readonly origin: SegmentOrigin

  /** @internal segments come from `collectSegments` */
  constructor(text: string, role: TextSegment['role'], origin: SegmentOrigin) {
    this.text = text
    this.role = role
    this.origin = origin
  }

  /** Whether only findings that count in an id are kept. */
  get isId(): boolean {
    return this.role === 'id'
  }

  /**
   * Path of the text: `messages[3].content[1].text`. `{2}` is the third member of an object with the caller's own keys,
   * which are not shown; `$` marks JSON inside a string; a key ends in `#key`.
   */
  get path(): string {
    const path = toPathText(this.origin.place)
    return this.role === 'key' ? `${path}#key` : path
  }
}

/**
 * The texts of one message during reading. Its parts come first and together, so that split secrets can be found; other
 * texts follow.
 */
export class MessageTexts {
  readonly parts: TextSegment[] = []
  readonly rest: (TextSegment | MessageTexts)[] = []
}

/** All texts in order, and the runs of two or more parts of one message. */
export function flattenTexts(root: MessageTexts): {
  readonly segments: readonly TextSegment[]
  readonly messages: readonly Span[]
} {
  if (root.parts.length === 0 && root.rest.every(isSegment)) return { segments: root.rest, messages: [] }
  const segments: TextSegment[] = []
  const messages: Span[] = []
  const stack: { texts: MessageTexts; next: number }[] = [{ texts: root, next: -1 }]
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { texts } = frame
    if (frame.next === -1) {
      const start = segments.length
      for (const part of texts.parts) segments.push(part)
      if (texts.parts.length > 1) messages.push({ start, end: segments.length })
    }
    frame.next += 1
    const item = texts.rest[frame.next]
    if (item === undefined) stack.pop()
    else if (item instanceof MessageTexts) stack.push({ texts: item, next: -1 })
    else segments.push(item)
  }
  return { segments, messages }
}

function isSegment(item: TextSegment | MessageTexts): item is TextSegment {
  return !(item instanceof MessageTexts)
}
