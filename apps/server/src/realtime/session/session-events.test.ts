import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { PredictionEvent } from '../../inference/core/events.ts'
import type { RealtimePeer, ServerEvent } from '../ports.ts'
import { createWorld, SERVER_VAD } from './__fixtures__/session-world.ts'

/** G.711 of so many seconds, base64. */
const speech = (seconds: number): string => Buffer.alloc(seconds * 8000, 0x55).toString('base64')
const G711 = { audio: { input: { format: { type: 'audio/pcma' as const }, turn_detection: null } } }
const append = (audio: string) => ({ type: 'input_audio_buffer.append', audio })
const commit = { type: 'input_audio_buffer.commit' }

describe('events beside those of a turn', () => {
  // verifies realtime:event:rate-limits
  it('tell at the beginning of a response what is left of the quotas', async () => {
    const limits = [{ name: 'requests', limit: 10, remaining: 9, reset_seconds: 60 }] as const
    const world = createWorld({ parts: { readLimits: async () => limits } })
    await world.say('hi')
    await world.send({ type: 'response.create' })
    await world.until('response.created')
    const [event] = await world.until('rate_limits.updated')
    expect(event).toMatchObject({ rate_limits: limits })
  })

  // verifies realtime:event:timeout
  it('tell that nobody has spoken, and the model goes on', async () => {
    const world = createWorld({ facts: { turnDetection: SERVER_VAD } })
    await world.send(append(Buffer.alloc(48_000).toString('base64')))
    await world.until('session.created')
    world.turn.listener.timedOut({ startMs: 0, endMs: 1000 })
    const [timeout, committed] = await world.until('response.created')
    expect(timeout).toMatchObject({
      type: 'input_audio_buffer.timeout_triggered',
      audio_start_ms: 0,
      audio_end_ms: 1000,
    })
    expect(committed).toMatchObject({ type: 'input_audio_buffer.committed', item_id: timeout?.item_id })
  })

  // verifies realtime:event:speaker
  it('name who speaks', async () => {
    const world = createWorld({
      facts: { recognizesSpeakers: true },
      stages: { recognizeSpeaker: async () => ({ name: 'Ann', isAccepted: true, isSilent: false }) },
      fields: G711,
    })
    await world.send(append(speech(1)))
    await world.send(commit)
    const events = await world.until('conversation.item.speaker')
    const item = events.find(({ type }) => type === 'input_audio_buffer.committed')?.item_id
    expect(events.at(-1)).toMatchObject({ item_id: item, speaker: 'Ann' })
  })

  it('end with the response, whatever its models still say', async () => {
    const sent: ServerEvent[] = []
    const peer: RealtimePeer = {
      transport: 'websocket',
      signal: new AbortController().signal,
      async send(event) {
        sent.push(event)
        await new Promise((resolve) => setTimeout(resolve, 2))
      },
      close() {},
    }
    const batch: PredictionEvent[] = [
      ...['a', 'b', 'c', 'd'].map((text) => ({ type: 'text-delta', choice: 0, text }) as const),
      { type: 'tool-call-start', choice: 0, index: 0, id: 'c1', name: 'weather' },
    ]
    const world = createWorld({
      fields: { output_modalities: ['text'] },
      parts: { peer },
      stages: {
        async *think() {
          yield batch
        },
      },
    })
    await world.say('hi')
    await world.send({ type: 'response.create' })
    await eventually(() => expect(sent.at(-1)?.type).toBe('response.output_text.delta'))
    await world.send({ type: 'response.cancel' })
    await eventually(() => expect(sent.at(-1)?.type).toBe('response.done'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(sent.at(-1)?.type).toBe('response.done')
  })

  it('refuse more speech while much of it waits to be written down', async () => {
    let held = 0
    const memory = {
      add: (bytes: number) => {
        if (held + bytes > 1_000_000) return false
        held += bytes
        return true
      },
      subtract(bytes: number) {
        held -= bytes
      },
    }
    let goOn = (): void => undefined
    const pause = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const world = createWorld({
      parts: { memory },
      fields: G711,
      stages: {
        async *transcribe() {
          await pause
          yield { type: 'done', text: 'hello', seconds: 4 }
        },
      },
    })
    const content = [{ type: 'input_audio', audio: speech(4) }]
    const create = { type: 'conversation.item.create', item: { type: 'message', role: 'user', content } }
    for (let count = 0; count < 5; count += 1) await world.send(create)
    const events = await world.until('error')
    expect(events.at(-1)).toMatchObject({ error: { code: 'buffer_size_exceeded' } })
    expect(held).toBeGreaterThan(500_000)
    goOn()
    await world.until('conversation.item.input_audio_transcription.completed')
    await world.until('conversation.item.input_audio_transcription.completed')
    await world.until('conversation.item.input_audio_transcription.completed')
    // the words of the items are left
    await eventually(() => expect(held).toBeLessThan(10_000))
  })

  // verifies realtime:client:output-clear
  it('drop speech that is not played yet', async () => {
    let dropped = 0
    const speaker = {
      play: async () => undefined,
      pause() {},
      resume() {},
      clear() {
        dropped += 1
      },
      playedMs: 0,
      drained: ({ signal }: { readonly signal: AbortSignal }) =>
        new Promise<void>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error))
        }),
    }
    const world = createWorld({ speaker })
    await world.say('hi')
    await world.send({ type: 'response.create' })
    await world.until('response.done')
    await world.send({ type: 'output_audio_buffer.clear' })
    await world.until('output_audio_buffer.cleared')
    expect(dropped).toBe(1)
    await world.session.close()
  })
})
