import type { Item } from './conversation.ts'
import type { ItemWriter } from './item-writer.ts'

/** State of an item that ends. */
export type ItemEnd = 'completed' | 'incomplete'

/** A message that grows. It has one part of content. */
export interface OutputMessage {
  readonly item: Item
  /** Waits while the client is behind, as {@link audio} does. */
  text(delta: string): Promise<void>
  /** Writes sound, base64. */
  audio(delta: string): Promise<void>
  end(end: ItemEnd): void
}

/** Begins a message. Text of speech is its transcript. */
export function openMessage(writer: ItemWriter, kind: 'text' | 'audio'): OutputMessage {
  const begun = writer.begin({ type: 'message', status: 'in_progress', role: 'assistant', content: [] })
  const { item } = begun
  const place = { ...begun.place, content_index: 0 }
  const isAudio = kind === 'audio'
  const deltaType = isAudio ? 'response.output_audio_transcript.delta' : 'response.output_text.delta'
  const toPart = (text: string) => (isAudio ? { type: 'audio', transcript: text } : { type: 'text', text })
  let text = ''

  function end(status: ItemEnd): void {
    if (!writer.isOpen(item)) return
    if (isAudio) {
      writer.tell({ type: 'response.output_audio.done', ...place })
      writer.tell({ type: 'response.output_audio_transcript.done', ...place, transcript: text })
    } else writer.tell({ type: 'response.output_text.done', ...place, text })
    writer.tell({ type: 'response.content_part.done', ...place, part: toPart(text) })
    const content = isAudio ? { type: 'output_audio', transcript: text } : { type: 'output_text', text }
    writer.finish(begun, { status, content: [content] })
  }

  writer.tell({ type: 'response.content_part.added', ...place, part: toPart('') })
  writer.keepOpen(item, () => end('incomplete'))
  return {
    item,
    text(delta) {
      text += delta
      return writer.send({ type: deltaType, ...place, delta })
    },
    audio: (delta) => writer.send({ type: 'response.output_audio.delta', ...place, delta }),
    end,
  }
}
