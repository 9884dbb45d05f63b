import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createWorld, SERVER_VAD, saying } from './__fixtures__/session-world.ts'

const TEXT = { fields: { output_modalities: ['text' as const] } }
const typesOf = (events: readonly { readonly type: string }[]): string[] => events.map(({ type }) => type)
/** 24 kHz PCM, base64. */
const pcm = (ms: number): string => Buffer.alloc(ms * 48).toString('base64')

/** A model that fails before its first event. */
async function* failing(): AsyncGenerator<never> {
  yield await Promise.reject(new Error('out of order'))
}

describe('a realtime session', () => {
  it('begins with session.created and shows the settings of its pipeline', () => {
    const { events } = createWorld()
    expect(events).toMatchObject([
      {
        type: 'session.created',
        session: {
          type: 'realtime',
          object: 'realtime.session',
          model: 'talk',
          output_modalities: ['audio'],
          audio: {
            input: {
              format: { type: 'audio/pcm', rate: 24_000 },
              transcription: { model: 'ear' },
              turn_detection: null,
            },
            output: { voice: 'anna', speed: 1 },
          },
        },
      },
    ])
  })

  it('answers text with text, every event in its order', async () => {
    const world = createWorld(TEXT)
    await world.until('session.created')
    await world.say('hi')
    await world.send({ type: 'response.create' })
    const events = await world.until('response.done')
    expect(typesOf(events)).toEqual([
      'conversation.item.added',
      'conversation.item.done',
      'response.created',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'conversation.item.done',
      'response.output_item.done',
      'response.done',
    ])
    expect(world.asked[0]?.messages).toEqual([{ role: 'user', content: 'hi' }])
    const done = events.at(-1)?.response
    expect(done).toMatchObject({
      status: 'completed',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi there.' }] }],
      usage: { total_tokens: 10, input_tokens: 7, output_tokens: 3 },
    })
    expect(new Set(events.map((event) => event.event_id)).size).toBe(events.length)
  })

  it('speaks clause by clause, with the transcript beside it', async () => {
    const world = createWorld()
    world.script(saying('Good morning', ' to you. ', 'How are', ' you?'))
    await world.until('session.created')
    await world.send({ type: 'response.create' })
    const events = await world.until('response.done')
    expect(world.spoken).toEqual(['Good morning to you.', 'How are you?'])
    const types = typesOf(events)
    expect(types.filter((type) => type.endsWith('audio_transcript.delta'))).toHaveLength(4)
    const sound = events.filter(({ type }) => type === 'response.output_audio.delta').map(({ delta }) => String(delta))
    expect(sound.map((delta) => Buffer.from(delta, 'base64').length)).toEqual([4800, 4800])
    expect(types.slice(-6)).toEqual([
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.content_part.done',
      'conversation.item.done',
      'response.output_item.done',
      'response.done',
    ])
  })

  it('writes down sound that its client commits, and answers it', async () => {
    const world = createWorld(TEXT)
    await world.until('session.created')
    await world.send({ type: 'input_audio_buffer.append', audio: pcm(300) })
    await world.send({ type: 'input_audio_buffer.commit' })
    await world.send({ type: 'response.create' })
    const events = await world.until('response.done')
    const types = typesOf(events)
    expect(types.slice(0, 3)).toEqual([
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
    ])
    const completed = events.find(({ type }) => type.endsWith('input_audio_transcription.completed'))
    expect(completed).toMatchObject({ transcript: 'hello', content_index: 0, item_id: events[0]?.item_id })
    expect(world.asked[0]?.messages).toEqual([{ role: 'user', content: 'hello' }])
  })

  it('takes turns that are detected, and cancels its answer for somebody who speaks', async () => {
    let signal: AbortSignal | undefined
    const world = createWorld({
      facts: { turnDetection: SERVER_VAD },
      stages: {
        async *think(_request, call) {
          signal = call.signal
          yield [{ type: 'text-delta', choice: 0, text: 'It is a long story. And' }]
          await new Promise((_resolve, reject) => {
            call.signal.addEventListener('abort', () => reject(call.signal.reason as Error))
          })
        },
      },
    })
    await world.until('session.created')
    await world.send({ type: 'input_audio_buffer.append', audio: pcm(1000) })
    world.turn.listener.speechStarted({ startMs: 100 })
    world.turn.listener.speechStopped({ startMs: 100, endMs: 800 })
    await world.until('response.output_audio.delta')
    const { taken } = world
    world.turn.listener.interrupt()
    world.turn.listener.speechStarted({ startMs: 900 })
    expect(signal?.aborted).toBe(true)
    expect(taken).not.toContain('speaking false')
    await eventually(() => expect(taken.at(-1)).toBe('speaking false'))
    const events = await world.until('conversation.item.truncated')
    expect(typesOf(events)).toEqual([
      'input_audio_buffer.speech_started',
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.content_part.done',
      'conversation.item.done',
      'response.output_item.done',
      'response.done',
      'conversation.item.truncated',
    ])
    expect(events[6]?.response).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'turn_detected' },
    })
  })

  it.each(['', '[BLANK_AUDIO]', ' (wind) '])('does not answer a turn without words: %j', async (text) => {
    const world = createWorld({
      fields: { turn_detection: { type: 'server_vad' } },
      stages: {
        async *transcribe() {
          yield { type: 'done', text, seconds: 1 }
        },
      },
    })
    await world.until('session.created')
    await world.send({ type: 'input_audio_buffer.append', audio: pcm(1000) })
    world.turn.listener.speechStarted({ startMs: 100 })
    world.turn.listener.speechStopped({ startMs: 100, endMs: 800 })
    const events = await world.until('response.done')
    expect(events.find(({ type }) => type.endsWith('transcription.completed'))).toMatchObject({ transcript: '' })
    expect(events.at(-1)?.response).toMatchObject({ status: 'completed', output: [] })
    expect(world.asked).toEqual([])
  })

  it.each([
    ['not JSON', '{', 'invalid_json'],
    ['a list', '[]', 'invalid_json'],
    ['an unknown type', { type: 'x' }, 'unknown_event'],
    ['no sound', { type: 'input_audio_buffer.append' }, 'missing_audio_data'],
    ['sound that is not base64', { type: 'input_audio_buffer.append', audio: '***!' }, 'invalid_audio_data'],
    ['an empty commit', { type: 'input_audio_buffer.commit' }, 'input_audio_buffer_commit_empty'],
    ['an unknown item', { type: 'conversation.item.retrieve', item_id: 'x' }, 'invalid_item_id'],
    ['a wrong setting', { type: 'session.update', session: { output_modalities: [] } }, 'session_update_error'],
    ['another type', { type: 'session.update', session: { type: 'transcription' } }, 'session_update_error'],
    ['nothing to cancel', { type: 'response.cancel' }, 'response_cancel_not_active'],
  ])('answers %s with an error event that names its event', async (_, event, code) => {
    const world = createWorld()
    await world.until('session.created')
    const text = typeof event === 'string' ? event : JSON.stringify({ event_id: 'mine', ...event })
    await world.session.receive(Buffer.from(text))
    expect(world.events).toMatchObject([
      {
        type: 'error',
        error: { type: 'invalid_request_error', code, event_id: typeof event === 'string' ? null : 'mine' },
      },
    ])
  })

  it('tells nothing of errors where the server hides them', async () => {
    const world = createWorld({ ...TEXT, parts: { hidesErrors: true }, stages: { think: failing } })
    await world.until('session.created')
    await world.send({ type: 'nonsense', event_id: 'mine' })
    const error = { code: null, message: 'an error occurred', param: null }
    expect((await world.until('error'))[0]?.error).toMatchObject({ ...error, event_id: 'mine' })
    await world.send({ type: 'response.create' })
    const events = await world.until('response.done')
    expect(events.at(-1)?.response).toMatchObject({ status: 'failed', status_details: { error } })
  })

  it('ends a response as failed when a stage fails, and goes on', async () => {
    const world = createWorld({
      ...TEXT,
      stages: { think: failing },
    })
    await world.until('session.created')
    await world.send({ type: 'response.create' })
    const events = await world.until('response.done')
    expect(typesOf(events)).toEqual(['response.created', 'error', 'response.done'])
    expect(events.at(-1)?.response).toMatchObject({
      status: 'failed',
      status_details: { type: 'failed', error: { code: 'processing_error', message: 'internal server error' } },
    })
    await world.say('still there')
    expect(world.types()).toEqual(['conversation.item.added', 'conversation.item.done'])
  })
})
