import type { RealtimeClientEvent, RealtimeInputItem, RealtimeItem } from '@svc/wire/realtime'
import { createItem, type Item, type ItemFields } from './conversation.ts'
import { cutItem } from './cut-item.ts'
import { badEvent } from './event-error.ts'
import { cannotHear, hearItem } from './hear-item.ts'
import { newId } from './ids.ts'
import { readSound } from './input-audio.ts'
import type { SessionContext } from './session-context.ts'

/** Changes of the conversation by its client. */
export interface ClientItems {
  /** @throws {SvcError} `invalid_item_id`, `invalid_audio_data`, `invalid_value`, `conversation_full` */
  create(event: Extract<RealtimeClientEvent, { type: 'conversation.item.create' }>): void
  /** @throws {SvcError} `invalid_item_id` */
  retrieve(id: string): void
  /** @throws {SvcError} `invalid_item_id` */
  remove(id: string): void
  /** @throws {SvcError} `invalid_item_id`, `invalid_value` */
  truncate(id: string, cut: { readonly contentIndex: number; readonly audioEndMs: number }): void
  /** Makes an item of the input of a response. @throws {SvcError} as {@link create} does */
  readInput(given: RealtimeInputItem): Item
}

/** Creates the changes. */
export function createClientItems(context: SessionContext): ClientItems {
  const { conversation, emit, stages } = context

  /** Reads speech that came in an item. @returns what has it written down */
  function readSpeech(given: RealtimeItem): ((item: Item) => void) | undefined {
    const { facts } = stages
    const spoken = findSpeech(given)
    if (spoken === undefined) return undefined
    if (!facts.transcribes && !facts.isAnyToAny) throw cannotHear()
    const sound = readSound(spoken.audio, context.settings.format)
    return (item) => {
      item.heard = hearItem(item, { sound, contentIndex: spoken.contentIndex }, context)
      item.heard.catch(() => undefined)
    }
  }

  return {
    create({ item: given, previous_item_id: after }) {
      const item = createItem(toFields(given), given.id ?? undefined)
      const listen = readSpeech(given)
      const place = { previous_item_id: conversation.insert(item, after ?? undefined) }
      void emit({ type: 'conversation.item.added', ...place, item: item.fields })
      void emit({ type: 'conversation.item.done', ...place, item: item.fields })
      listen?.(item)
    },
    retrieve(id) {
      void emit({ type: 'conversation.item.retrieved', item: conversation.get(id).fields })
    },
    remove(id) {
      conversation.remove(conversation.get(id).id)
      void emit({ type: 'conversation.item.deleted', item_id: id })
    },
    truncate(id, cut) {
      const item = conversation.get(id)
      cutItem(item, cut)
      conversation.resize(item)
      const { contentIndex, audioEndMs } = cut
      const place = { item_id: item.id, content_index: contentIndex }
      void emit({ type: 'conversation.item.truncated', ...place, audio_end_ms: audioEndMs })
    },
    readInput(given) {
      if (given.type === 'item_reference') return conversation.get(given.id)
      const item = createItem(toFields(given), given.id ?? undefined)
      readSpeech(given)?.(item)
      return item
    },
  }
}

/** The fields of an item as the conversation keeps them: no sound, and the words of the present version. */
function toFields(given: RealtimeItem): ItemFields {
  if (given.type === 'function_call')
    return { ...given, status: given.status ?? 'completed', call_id: given.call_id ?? newId('call') }
  if (given.type !== 'message') return { ...given }
  const { role } = given
  const content = given.content.map((part) => toPart(part, role))
  return { type: 'message', status: given.status ?? 'completed', role, content }
}

type Part = Extract<RealtimeItem, { type: 'message' }>['content'][number]

function toPart(part: Part, role: string): ItemFields {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: role === 'assistant' ? 'output_text' : 'input_text', text: part.text }
    case 'input_audio':
      return { type: 'input_audio', transcript: part.transcript ?? null }
    case 'output_audio':
    case 'audio':
      return { type: 'output_audio', transcript: part.transcript ?? '' }
    case 'input_image':
      if (!part.image_url.startsWith('data:image/'))
        throw badEvent('invalid_value', 'image_url: must be a data URL of an image', 'item.content')
      return { type: 'input_image', image_url: part.image_url, detail: part.detail ?? 'auto' }
  }
}

/** The first speech of a message that nobody has written down. */
function findSpeech(given: RealtimeItem): { readonly audio: string; readonly contentIndex: number } | undefined {
  if (given.type !== 'message') return undefined
  for (const [contentIndex, part] of given.content.entries()) {
    if (part.type === 'input_audio' && typeof part.audio === 'string' && part.transcript == null)
      return { audio: part.audio, contentIndex }
  }
  return undefined
}
