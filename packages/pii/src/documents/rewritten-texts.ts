import type { FilterOutcome } from '../filter.ts'
import type { TextSegment } from './segment.ts'

/** The new texts of the segments that a filter has rewritten. */
export function listRewritten(segments: readonly TextSegment[], outcome: FilterOutcome): Map<TextSegment, string> {
  const texts = new Map<TextSegment, string>()
  for (const [index, segment] of segments.entries()) {
    const rewritten = outcome.segments[index]?.rewritten
    if (rewritten !== undefined) texts.set(segment, rewritten)
  }
  return texts
}
