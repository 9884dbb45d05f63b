import { SvcError } from '@svc/errors'
import type { RealtimeClientEvent, RealtimeInputItem, RealtimeItem } from '@svc/wire/realtime'
import type { RealtimeSession, ServerEvent } from '../ports.ts'
import { createConversation, createItem, type Item, type ItemFields } from './conversation.ts'
import { cutItem } from './cut-item.ts'
import { badEvent, toErrorEvent } from './event-error.ts'
import { cannotHear, hearItem } from './hear-item.ts'
import { newId } from './ids.ts'
import { createInputAudio, readSound } from './input-audio.ts'
import { checkEvent, type RawEvent, readRawEvent } from './read-event.ts'
import { createResponses } from './responses.ts'
import type { SessionContext, SessionParts } from './session-context.ts'
import { firstSettings, updateSettings } from './settings.ts'
import { showSession } from './show-session.ts'
import { createTurns } from './turns.ts'

const LIMITS = { maxItems: 2000, maxBytes: 32 * 1024 * 1024 }

type EventOf<Type extends RealtimeClientEvent['type']> = Extract<RealtimeClientEvent, { type: Type }>

/**
 * Begins a session: its models are there, and its first event is sent.
 *
 * @throws {SvcError} `session_update_error` for settings that the pipeline cannot serve
 */
export function createSession(parts: SessionParts): RealtimeSession {
  const { peer, stages, clock, log } = parts
  const { facts } = stages
  const ending = new AbortController()
  const signal = AbortSignal.any([peer.signal, ending.signal])
  const rules = { facts, models: [parts.model, facts.name], hasSpoken: false, hasBegun: false }
  let turnNumber = 0

  const context: SessionContext = {
    peer,
    stages,
    clock,
    log,
    conversation: createConversation(LIMITS),
    settings: updateSettings(firstSettings(facts), parts.fields ?? {}, rules),
    hasSpoken: false,
    signal,
    async emit(event) {
      if (signal.aborted) return
      try {
        await peer.send({ event_id: newId('event'), ...event })
      } catch {
        // the signal of the peer ends the session
      }
    },
    async begin(options) {
      turnNumber += 1
      try {
        return await parts.begin(turnNumber, options)
      } catch (error) {
        if (SvcError.is(error) && (error.kind === 'unauthenticated' || error.kind === 'forbidden'))
          peer.close(1008, 'access has ended')
        throw error
      }
    },
  }
  const { conversation, emit } = context
  const responses = createResponses({
    context,
    turnTaker: () => turns.taker,
    readLimits: parts.readLimits,
    cut({ itemId, contentIndex }, heardMs) {
      const item = conversation.find(itemId)
      if (item !== undefined) truncate(item, { contentIndex, audioEndMs: Math.floor(heardMs) })
    },
  })
  const turns = createTurns({ context, input: () => input, responses, createTurnTaker: parts.createTurnTaker })
  const input = createInputAudio({ memory: parts.memory, hear: turns.hear })
  const id = newId('sess')
  const shownFacts = {
    id,
    model: parts.model,
    transcriptionModel: facts.transcriptionModel,
    expiresAt: Math.floor(parts.expiresAt / 1000),
  }
  const tellSession = (type: string): void => void emit({ type, session: showSession(context.settings, shownFacts) })

  function update({ session }: EventOf<'session.update'>): void {
    const { hasSpoken } = context
    context.settings = updateSettings(context.settings, session, { ...rules, hasSpoken, hasBegun: true })
    turns.update()
    tellSession('session.updated')
  }
  function truncate(item: Item, cut: { readonly contentIndex: number; readonly audioEndMs: number }): void {
    cutItem(item, cut)
    conversation.resize(item)
    const { contentIndex, audioEndMs } = cut
    const place = { item_id: item.id, content_index: contentIndex }
    void emit({ type: 'conversation.item.truncated', ...place, audio_end_ms: audioEndMs })
  }
  function create({ item: given, previous_item_id: after }: EventOf<'conversation.item.create'>): void {
    const item = readItem(given)
    const listen = readSpeech(given)
    const previous = conversation.insert(item, after ?? undefined)
    void emit({ type: 'conversation.item.added', previous_item_id: previous, item: item.fields })
    void emit({ type: 'conversation.item.done', previous_item_id: previous, item: item.fields })
    listen?.(item)
  }
  /** Makes an item of the client's words. @throws {SvcError} `invalid_audio_data`, `invalid_value` */
  function readItem(given: RealtimeItem): Item {
    const fields = toFields(given)
    return createItem(fields, given.id ?? undefined)
  }
  /** Reads speech that came in an item. @returns what has it written down @throws {SvcError} as {@link readItem} does */
  function readSpeech(given: RealtimeItem): ((item: Item) => void) | undefined {
    const spoken = findSpeech(given)
    if (spoken === undefined) return undefined
    if (!facts.transcribes && !facts.isAnyToAny) throw cannotHear()
    const samples = readSound(spoken.audio, context.settings.format)
    return (item) => {
      if (facts.isAnyToAny) item.samples = samples
      item.heard = hearItem(item, { samples, contentIndex: spoken.contentIndex }, context)
      item.heard.catch(() => undefined)
    }
  }
  function readInput(given: RealtimeInputItem): Item {
    if (given.type === 'item_reference') return conversation.get(given.id)
    const item = readItem(given)
    readSpeech(given)?.(item)
    return item
  }

  const refuseInTranscription = (): void => {
    if (context.settings.type === 'transcription')
      throw badEvent('invalid_event', 'a session of the type transcription has no responses', 'type')
  }

  function take(event: RealtimeClientEvent): void {
    switch (event.type) {
      case 'session.update':
        return update(event)
      case 'transcription_session.update':
        return update({ ...event, type: 'session.update' })
      case 'input_audio_buffer.append':
        return input.append(event.audio, context.settings.format)
      case 'input_audio_buffer.commit':
        return turns.commit()
      case 'input_audio_buffer.clear':
        return turns.clear()
      case 'output_audio_buffer.clear':
        responses.clearOutput()
        return
      case 'conversation.item.create':
        return create(event)
      case 'conversation.item.retrieve':
        void emit({ type: 'conversation.item.retrieved', item: conversation.get(event.item_id).fields })
        return
      case 'conversation.item.truncate':
        truncate(conversation.get(event.item_id), { contentIndex: event.content_index, audioEndMs: event.audio_end_ms })
        return
      case 'conversation.item.delete':
        conversation.remove(conversation.get(event.item_id).id)
        void emit({ type: 'conversation.item.deleted', item_id: event.item_id })
        return
      case 'response.create':
        refuseInTranscription()
        return responses.create(event.response ?? undefined, readInput)
      case 'response.cancel':
        return responses.cancel(event.response_id ?? undefined)
    }
  }
  /** Takes sound without the checks of a schema: it is most of what a client sends. */
  function takeFields(raw: RawEvent): void {
    const { type, audio } = raw.fields
    if (type === 'input_audio_buffer.append' && typeof audio === 'string')
      input.append(audio, context.settings.format)
    else take(checkEvent(raw))
  }
  async function tellFault(error: unknown, eventId?: string): Promise<void> {
    const event: ServerEvent = toErrorEvent(error, eventId)
    if (!SvcError.is(error)) log.error({ err: error }, 'an event of a realtime session failed unexpectedly')
    await emit(event)
  }

  tellSession('session.created')
  return {
    id,
    async receive(bytes) {
      let raw: RawEvent | undefined
      try {
        raw = readRawEvent(bytes)
        takeFields(raw)
      } catch (error) {
        await tellFault(error, raw?.eventId)
      }
    },
    async hear(samples, { sampleRate }) {
      try {
        input.appendSamples(samples, sampleRate)
      } catch (error) {
        await tellFault(error)
      }
    },
    async hearBytes(bytes) {
      try {
        input.appendBytes(bytes, context.settings.format)
      } catch (error) {
        await tellFault(error)
      }
    },
    async close() {
      responses.close()
      turns.close()
      input.close()
      ending.abort()
    },
  }
}

/** The fields of an item as the conversation keeps them: no sound, and the words of the present version. */
function toFields(given: RealtimeItem): ItemFields {
  if (given.type === 'function_call')
    return { ...given, status: given.status ?? 'completed', call_id: given.call_id ?? newId('call') }
  if (given.type !== 'message') return { ...given }
  const content = given.content.map((part) => {
    if (part.type === 'text') return { type: given.role === 'assistant' ? 'output_text' : 'input_text', text: part.text }
    if (part.type === 'input_audio') return { type: 'input_audio', transcript: part.transcript ?? null }
    if (part.type === 'audio' || part.type === 'output_audio')
      return { type: 'output_audio', transcript: part.transcript ?? '' }
    if (part.type === 'input_image') {
      if (!part.image_url.startsWith('data:image/'))
        throw badEvent('invalid_value', 'image_url: must be a data URL of an image', 'item.content')
      return { type: 'input_image', image_url: part.image_url, detail: part.detail ?? 'auto' }
    }
    return { type: part.type, text: part.text }
  })
  return { type: 'message', status: given.status ?? 'completed', role: given.role, content }
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
