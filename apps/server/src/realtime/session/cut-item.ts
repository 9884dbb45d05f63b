import type { Item, ItemPart, SpokenText } from './conversation.ts'
import { badEvent } from './event-error.ts'

/** Times of cuts are whole milliseconds, lengths of speech are not. */
const ROUNDING_MS = 1

/**
 * Cuts speech of the model at what was heard: words that nobody heard leave the transcript.
 *
 * @throws {SvcError} `invalid_item_id` for an item without speech of the model, `invalid_value` for a time beyond its end
 */
export function cutItem(
  item: Item,
  { contentIndex, audioEndMs }: { readonly contentIndex: number; readonly audioEndMs: number },
): void {
  const { type, role, content } = item.fields
  if (type !== 'message' || role !== 'assistant')
    throw badEvent('invalid_item_id', 'only messages of the assistant can be cut', 'item_id')
  const part = (content as readonly ItemPart[])[contentIndex]
  if (part?.type !== 'output_audio')
    throw badEvent('invalid_value', 'the item has no speech at this index', 'content_index')
  const { spokenMs = 0, spoken = [] } = item
  // the clocks of a client and of this server differ a little
  if (audioEndMs > spokenMs + 1000)
    throw badEvent('invalid_value', `the speech has ${Math.floor(spokenMs)} ms only`, 'audio_end_ms')
  if (audioEndMs >= spokenMs && item.fields.status === 'completed') return
  item.spoken = spoken.filter(({ startMs }) => startMs < audioEndMs)
  item.spokenMs = Math.min(audioEndMs, spokenMs)
  const transcript = item.spoken
    .map((clause) => keepHeard(clause, audioEndMs))
    .join('')
    .trimEnd()
  const parts = (content as readonly ItemPart[]).map((one, index) =>
    index === contentIndex ? { ...one, transcript } : one,
  )
  item.fields = { ...item.fields, status: 'incomplete', content: parts }
}

/** The words of a clause that were whole at a time, if its speech is even. */
function keepHeard({ text, startMs, endMs }: SpokenText, ms: number): string {
  if (ms >= endMs - ROUNDING_MS) return text
  const length = Math.floor((text.length * (ms - startMs)) / (endMs - startMs))
  return text.slice(0, text.lastIndexOf(' ', length) + 1)
}
