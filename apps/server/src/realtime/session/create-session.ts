import { SvcError } from '@svc/errors'
import type { RealtimeSessionFields } from '@svc/wire/realtime'
import type { RealtimeSession } from '../ports.ts'
import { createClientItems } from './client-items.ts'
import { createContext } from './create-context.ts'
import { toErrorEvent } from './event-error.ts'
import { newId } from './ids.ts'
import { createInputAudio } from './input-audio.ts'
import { checkEvent, type RawEvent, readRawEvent } from './read-event.ts'
import { createHistory } from './read-history.ts'
import { createResponses } from './responses.ts'
import type { SessionParts } from './session-context.ts'
import { firstSettings, updateSettings } from './settings.ts'
import { createSettingsMemory } from './settings-memory.ts'
import { showSession } from './show-session.ts'
import { takeEvent } from './take-event.ts'
import { createTurns } from './turns.ts'
import { createVoiceOutput } from './voice-output.ts'

/**
 * Begins a session: its models are there, and its first event is sent.
 *
 * @throws {SvcError} `session_update_error` for settings that the pipeline cannot serve, or that have no room
 */
export function createSession(parts: SessionParts): RealtimeSession {
  const { peer, stages, log, model, createTurnTaker, readLimits } = parts
  const { facts } = stages
  const ending = new AbortController()
  const signal = AbortSignal.any([peer.signal, ending.signal])
  const rules = { facts, models: [model, facts.name], hasSpoken: false, hasBegun: false }
  const settings = updateSettings(firstSettings(facts), parts.fields ?? {}, rules)
  const holdSettings = createSettingsMemory(parts.memory)
  holdSettings(settings)
  const context = createContext(parts, { settings, signal })
  const { emit } = context
  const items = createClientItems(context)
  const voiceOutput = createVoiceOutput({
    context,
    turnTaker: () => turns.taker,
    isMaking: () => responses.isActive,
  })
  const responses = createResponses({
    context,
    voiceOutput,
    readHistory: createHistory(stages),
    readLimits,
    cut({ playback: { itemId, contentIndex }, heardMs }) {
      const item = context.conversation.find(itemId)
      if (item === undefined) return
      const audioEndMs = Math.floor(Math.min(heardMs, item.spokenMs ?? 0))
      items.truncate(itemId, { contentIndex, audioEndMs })
    },
  })
  const turns = createTurns({ context, input: () => input, responses, voiceOutput, createTurnTaker })
  const input = createInputAudio({ memory: parts.memory, hear: turns.hear })
  const id = newId('sess')
  const expiresAt = Math.floor(parts.expiresAt / 1000)
  const shown = { id, model, transcriptionModel: facts.transcriptionModel, expiresAt }
  const tellSession = (type: string): void => void emit({ type, session: showSession(context.settings, shown) })

  function update(fields: RealtimeSessionFields): void {
    const { hasSpoken } = context
    const updated = updateSettings(context.settings, fields, { ...rules, hasSpoken, hasBegun: true })
    holdSettings(updated)
    context.settings = updated
    turns.update()
    tellSession('session.updated')
  }
  /** Takes sound without the checks of a schema: it is most of what a client sends. */
  function take(raw: RawEvent): Promise<void> | undefined {
    const { type, audio } = raw.fields
    if (type === 'input_audio_buffer.append' && typeof audio === 'string')
      return input.append(audio, context.settings.format)
    takeEvent(checkEvent(raw), { context, update, items, turns, responses, voiceOutput })
    return undefined
  }
  /** Answers what cannot be served with an error event. */
  async function attempt(
    work: () => Promise<void> | void,
    eventId: () => string | undefined = () => undefined,
  ): Promise<void> {
    try {
      const taking = work()
      if (taking !== undefined) await taking
      await context.sent()
    } catch (error) {
      if (!SvcError.is(error)) log.error({ err: error }, 'an event of a realtime session failed unexpectedly')
      await emit(toErrorEvent(error, eventId()))
    }
  }

  tellSession('session.created')
  return {
    id,
    receive(bytes) {
      let raw: RawEvent | undefined
      const work = (): Promise<void> | undefined => {
        raw = readRawEvent(bytes)
        return take(raw)
      }
      return attempt(work, () => raw?.eventId)
    },
    hear: (samples, { sampleRate }) => attempt(() => input.appendSamples(samples, sampleRate)),
    hearBytes: (bytes) => attempt(() => input.appendBytes(bytes, context.settings.format)),
    async close() {
      responses.close()
      turns.close()
      input.close()
      ending.abort()
    },
  }
}
