import type { Span } from '../span.ts'
import type { TextSegment } from './segment.ts'

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
