import { float32ToS16, s16ToFloat32 } from '@svc/audio/samples'
import type { BackendHandlers } from '@svc/backend-kit'
import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { createInProcessClient } from '../../../backends/in-process/client.ts'
import { createModel } from '../../../catalog/__fixtures__/model.ts'
import type { MediaUsage } from '../../core/events.ts'
import type { OperationContext } from '../operation-runner.ts'
import { runConverse } from './converse.ts'
import { runTranscribeLive } from './transcribe-live.ts'
import { runVerifyVoice } from './verify-voice.ts'

function createContext(handlers: BackendHandlers, signal = new AbortController().signal) {
  const media: MediaUsage[] = []
  const context: OperationContext = {
    client: createInProcessClient('x', handlers),
    model: createModel({ name: 'm' }),
    correlationId: 'r',
    drafts: { create: () => Promise.reject(new Error('no files')) },
    onMedia: (used) => media.push(used),
    signal,
  }
  return { context, media }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const seconds = (count: number): Float32Array => new Float32Array(16_000 * count).fill(0.5)

async function* listen(...pieces: readonly Float32Array[]): AsyncGenerator<Float32Array> {
  yield* pieces
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

describe('a live transcription', () => {
  const handlers: BackendHandlers = {
    async *audioTranscriptionLive(requests) {
      let samples = 0
      for await (const { config, audio } of requests) {
        if (config !== undefined) yield { ready: config.language === 'en' && config.sampleRate === 16_000 }
        if (audio === undefined) continue
        samples += audio.pcm.length
        yield { delta: `${samples} `, eou: true }
      }
      yield { finalResult: { text: 'the end', duration: 2 } }
    },
  }

  it('sends the sound and gives the text while it comes', async () => {
    const { context, media } = createContext(handlers)
    const request = { kind: 'transcribe-live', sampleRate: 16_000, language: 'en' } as const
    const { live } = await runTranscribeLive({ ...request, sound: listen(seconds(1), seconds(1)) }, context)
    expect(await collect(live)).toEqual([
      { type: 'delta', text: '16000 ' },
      { type: 'utterance-end' },
      { type: 'delta', text: '32000 ' },
      { type: 'utterance-end' },
      { type: 'done', text: 'the end', seconds: 2 },
    ])
    expect(media.at(-1)).toEqual({ seconds: 2 })
  })

  it('is refused by name where the backend has none, before any sound is read', async () => {
    const { context } = createContext({})
    let isRead = false
    async function* sound(): AsyncGenerator<Float32Array> {
      isRead = true
      yield seconds(1)
    }
    await expect(
      runTranscribeLive({ kind: 'transcribe-live', sampleRate: 16_000, sound: sound() }, context),
    ).rejects.toMatchObject({ kind: 'not_implemented', code: 'no_live_transcription' })
    expect(isRead).toBe(false)
  })

  it('fails with the failure of its sound, and when the backend ends without a text', async () => {
    const failure = new SvcError('cancelled', 'gone')
    async function* broken(): AsyncGenerator<Float32Array> {
      yield seconds(1)
      throw failure
    }
    const request = { kind: 'transcribe-live', sampleRate: 16_000, language: 'en' } as const
    const failing = await runTranscribeLive({ ...request, sound: broken() }, createContext(handlers).context)
    await expect(collect(failing.live)).rejects.toBe(failure)
    const short = createContext({
      async *audioTranscriptionLive() {
        yield { ready: true }
      },
    })
    const ended = await runTranscribeLive({ ...request, sound: listen() }, short.context)
    await expect(collect(ended.live)).rejects.toMatchObject({ code: 'no_transcript' })
  })
})

describe('a turn of a model that hears and speaks', () => {
  it('sends instructions, history and sound, and gives what the model says', async () => {
    const told: unknown[] = []
    const { context, media } = createContext({
      async *audioToAudioStream(requests) {
        let samples = 0
        for await (const { config, control, frame } of requests) {
          if (config !== undefined) told.push([config.systemPrompt, config.voice, config.tools, config.inputSampleRate])
          if (control !== undefined) told.push([control.event, Buffer.from(control.payload).toString()])
          if (frame === undefined) continue
          samples += frame.pcm.length / 2
          if (frame.endOfInput) break
        }
        told.push(samples)
        yield { event: 'response.audio_transcript.delta', meta: json({ delta: 'hi' }) }
        yield { event: 'response.audio.delta', pcm: float32ToS16(Float32Array.of(0.5, -0.5)), sampleRate: 0 }
        yield { event: 'response.function_call_arguments.delta', meta: json({ call_id: 'c', delta: '{"a":' }) }
        yield { event: 'response.function_call_arguments.delta', meta: json({ call_id: 'c', delta: '1}' }) }
        yield { event: 'response.function_call_arguments.done', meta: json({ call_id: 'c', name: 'f' }) }
        yield { event: 'response.done', meta: json({}) }
      },
    })
    const { live } = await runConverse(
      {
        kind: 'converse',
        samples: seconds(2),
        sampleRate: 16_000,
        instructions: 'Be kind.',
        voice: 'v',
        tools: [{ type: 'function' }],
        history: [{ role: 'user', content: 'before' }],
      },
      context,
    )
    const parts = await collect(live)
    expect(parts.map(({ type }) => type)).toEqual(['transcript', 'audio', 'call'])
    expect(parts[1]).toMatchObject({ sampleRate: 24_000 })
    expect(parts[2]).toEqual({ type: 'call', id: 'c', name: 'f', arguments: '{"a":1}' })
    expect(told).toEqual([
      ['Be kind.', 'v', '[{"type":"function"}]', 16_000],
      ['conversation.item.create', '{"role":"user","content":"before"}'],
      32_000,
    ])
    expect(media).toEqual([{ seconds: 2 }])
  })

  it.each<[string, string, Parameters<typeof createContext>[0]]>([
    ['has no such call', 'no_spoken_conversation', {}],
    [
      'says what failed',
      'conversation_failed',
      {
        async *audioToAudioStream() {
          yield { event: 'error', meta: json({ message: 'no memory' }) }
        },
      },
    ],
    [
      'ends too early',
      'conversation_failed',
      {
        async *audioToAudioStream() {
          yield { event: 'response.audio_transcript.delta', meta: json({ delta: 'hi' }) }
        },
      },
    ],
    [
      'names a rate that no sound has',
      'conversation_failed',
      {
        async *audioToAudioStream() {
          yield { event: 'response.audio.delta', pcm: Buffer.alloc(4), sampleRate: 7 }
        },
      },
    ],
  ])('fails when the backend %s', async (_, code, handlers) => {
    const { context } = createContext(handlers)
    const request = { kind: 'converse', samples: seconds(1), sampleRate: 16_000, instructions: '' } as const
    await expect(
      runConverse({ ...request, tools: [], history: [] }, context).then(({ live }) => collect(live)),
    ).rejects.toMatchObject({ code })
  })

  it('ends the call when the caller leaves', async () => {
    let hasEnded = false
    const { context } = createContext({
      async *audioToAudioStream() {
        try {
          for (;;) yield { event: 'response.audio_transcript.delta', meta: json({ delta: 'x' }) }
        } finally {
          hasEnded = true
        }
      },
    })
    const request = { kind: 'converse', samples: seconds(1), sampleRate: 16_000, instructions: '' } as const
    const { live } = await runConverse({ ...request, tools: [], history: [] }, context)
    for await (const _ of live) break
    await new Promise((resolve) => setImmediate(resolve))
    expect(hasEnded).toBe(true)
  })
})

it('two recordings are compared, and a distance that is no number is a failure', async () => {
  const request = {
    kind: 'verify-voice',
    path: '/none',
    referencePath: '/r',
    threshold: 0.25,
    antiSpoofing: true,
  } as const
  const asked: unknown[] = []
  const good = createContext({
    voiceVerify(given) {
      asked.push([given.audio1, given.audio2, given.antiSpoofing])
      return { verified: true, distance: 0.125 }
    },
  })
  expect(await runVerifyVoice(request, good.context)).toEqual({ promptTokens: 0, isVerified: true, distance: 0.125 })
  expect(asked).toEqual([['/none', '/r', true]])
  const bad = createContext({ voiceVerify: () => ({ distance: Number.NaN }) })
  await expect(runVerifyVoice(request, bad.context)).rejects.toMatchObject({ code: 'invalid_distance' })
})

it('samples survive their way through 16 bits, and loud ones are clipped', () => {
  const back = s16ToFloat32(float32ToS16(Float32Array.of(0, 0.5, -0.5, 2, -2)))
  expect([...back].map((sample) => Math.round(sample * 100) / 100)).toEqual([0, 0.5, -0.5, 1, -1])
  expect(s16ToFloat32(Buffer.from([1, 2, 3]))).toHaveLength(1)
})
