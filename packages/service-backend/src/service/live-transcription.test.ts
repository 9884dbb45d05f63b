import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { collect } from '../../test/service-world.ts'
import { type LiveInput, type LiveSocket, transcribeLive } from './live-transcription.ts'
import { loadServiceTarget } from './target.ts'

const config: LiveInput = { type: 'config', language: '', sampleRate: 0 }
const audio: LiveInput = { type: 'audio', pcm: [0, 0.5, 1, -1, 7] }
const EVENT = 'conversation.item.input_audio_transcription'
const started = { type: 'input_audio_buffer.speech_started' }
const delta = (text: string) => ({ type: `${EVENT}.delta`, item_id: 'i', delta: text })
const completed = (transcript: string, item_id = 'i') => ({ type: `${EVENT}.completed`, item_id, transcript })

interface Said {
  readonly type: string
  readonly audio: string
}

/** A scripted instance at the other end of a socket of our own port. */
async function listen(
  inputs: readonly LiveInput[],
  options: {
    readonly answer?: (said: Said, reply: (event: unknown) => void, end: () => void) => void
    readonly pipeline?: string
    readonly open?: 'never' | 'refused'
    readonly stuck?: boolean
    /** Whether more output is announced that never comes. */
    readonly endless?: boolean
    readonly signal?: AbortSignal
    readonly url?: string
  } = {},
) {
  const clock = createFakeClock()
  const sent: Said[] = []
  const opened: unknown[] = []
  let isClosed = false
  let isGivenUp = () => false
  const queue: string[] = []
  let wake = () => {}
  const end = () => {
    isClosed = true
    wake()
  }
  const socket: LiveSocket = {
    async send(text) {
      if (options.stuck === true) await new Promise(() => {})
      const said = JSON.parse(text) as Said
      sent.push(said)
      options.answer?.(said, (event) => queue.push(JSON.stringify(event)), end)
      wake()
    },
    messages: (async function* () {
      for (;;) {
        const next = queue.shift()
        if (next !== undefined) yield next
        else if (isClosed) return
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    })(),
    close: end,
  }
  const target = await loadServiceTarget(
    { upstreamUrl: options.url ?? 'http://a', realtimePipeline: options.pipeline ?? 'pipe', apiKeyEnv: 'KEY' },
    { name: 'm', warn: () => {}, secrets: { variable: () => 'sk-1', file: () => Promise.resolve('') } },
  )
  const outputs = collect(
    transcribeLive(
      {
        target,
        clock,
        open: async (url, { headers, signal }) => {
          isGivenUp = () => signal.aborted
          opened.push([url.href, Object.fromEntries(headers).authorization])
          if (options.open === 'refused') throw new Error('ECONNREFUSED')
          if (options.open === 'never') await new Promise(() => {})
          return socket
        },
      },
      (async function* () {
        yield* inputs
        if (options.endless === true) await new Promise(() => {})
      })(),
      { signal: options.signal ?? new AbortController().signal },
    ),
  )
  outputs.catch(() => {})
  return { outputs, clock, sent, opened, isClosed: () => isClosed, isGivenUp: () => isGivenUp() }
}

describe('live transcription', () => {
  it('opens the realtime route of the pipeline and tells it how to listen', async () => {
    const world = await listen([config], { url: 'https://a/svc/v1', pipeline: 'a b' })
    await world.clock.waitForSleepers(1)
    await world.clock.advance(5000)
    expect(await world.outputs).toEqual([{ type: 'ready' }, { type: 'final', text: '' }])
    expect(world.opened).toEqual([['wss://a/svc/v1/realtime?model=a+b&intent=transcription', 'Bearer sk-1']])
    expect(world.sent[0]).toEqual({
      type: 'session.update',
      session: {
        type: 'transcription',
        audio: {
          input: {
            format: { type: 'audio/pcm', rate: 16_000 },
            transcription: {},
            turn_detection: { type: 'server_vad' },
          },
        },
      },
    })
    expect(world.isClosed()).toBe(true)
  })

  it('sends samples as 16-bit numbers, and a second of silence after the last', async () => {
    const world = await listen([{ type: 'config', language: 'de', sampleRate: 8000 }, audio])
    await world.clock.waitForSleepers(1)
    await world.clock.advance(5000)
    await world.outputs
    const [, first, silence] = world.sent.map((said) => Buffer.from(said.audio ?? '', 'base64'))
    const samples = Array.from({ length: 5 }, (_, index) => first?.readInt16LE(index * 2))
    expect(samples).toEqual([0, 16_384, 32_767, -32_767, 32_767])
    expect(silence).toEqual(Buffer.alloc(16_000))
    expect(JSON.stringify(world.sent[0])).toContain('"language":"de"')
  })

  it('sends much sound in pieces', async () => {
    const world = await listen([config, { type: 'audio', pcm: Array.from({ length: 600_000 }, () => 0) }])
    await world.clock.waitForSleepers(1)
    await world.clock.advance(5000)
    await world.outputs
    const sizes = world.sent.slice(1, -1).map((said) => Buffer.from(said.audio, 'base64').length / 2)
    expect(sizes).toEqual([262_144, 262_144, 75_712])
  })

  it('streams text, ends of utterances and the whole text', async () => {
    const world = await listen([config, audio], {
      answer: ({ type }, reply) => {
        if (type !== 'session.update') return
        for (const event of [started, delta('hel'), delta('lo'), completed('hello ')]) reply(event)
        for (const event of [started, completed('again', 'j')]) reply(event)
      },
    })
    await world.clock.waitForSleepers(1)
    await world.clock.advance(5000)
    expect(await world.outputs).toEqual([
      { type: 'ready' },
      { type: 'delta', text: 'hel' },
      { type: 'delta', text: 'lo' },
      { type: 'utterance-end' },
      { type: 'delta', text: 'again' },
      { type: 'utterance-end' },
      { type: 'final', text: 'hello again' },
    ])
  })

  it('waits at most five seconds for the remaining text', async () => {
    const world = await listen([config, audio], {
      answer: ({ type }, reply) => type === 'input_audio_buffer.append' && reply(started),
    })
    await world.clock.waitForSleepers(1)
    await world.clock.advance(4999)
    expect(world.isClosed()).toBe(false)
    await world.clock.advance(1)
    expect((await world.outputs).at(-1)).toEqual({ type: 'final', text: '' })
  })

  it('without sound gives no text', async () => {
    const world = await listen([])
    expect(await world.outputs).toEqual([])
    expect(world.opened).toEqual([])
  })
})

describe('live transcription fails', () => {
  it('ends with the last utterance where the instance tells of speech', async () => {
    let count = 0
    const begun = { type: 'input_audio_buffer.speech_started', item_id: 'i' }
    const completed = { type: 'conversation.item.input_audio_transcription.completed', item_id: 'i', transcript: 'hi' }
    const prompt = await listen([config, { type: 'audio', pcm: [0.5] }], {
      answer({ type }, reply) {
        count += type === 'input_audio_buffer.append' ? 1 : 0
        if (count === 1) reply(begun)
        // the silence after the last sound
        if (count === 2) reply(completed)
      },
    })
    await prompt.clock.advance(1000)
    expect((await prompt.outputs).at(-1)).toEqual({ type: 'final', text: 'hi' })

    const late = await listen([config, { type: 'audio', pcm: [0.5] }], {
      answer({ type }, reply) {
        if (type === 'input_audio_buffer.append') reply(begun)
      },
    })
    await late.clock.advance(1000)
    expect(late.isClosed()).toBe(false)
    await late.clock.advance(4000)
    expect((await late.outputs).at(-1)).toEqual({ type: 'final', text: '' })
  })

  it('without a pipeline is not implemented', async () => {
    await expect((await listen([config], { pipeline: '' })).outputs).rejects.toMatchObject({ kind: 'not_implemented' })
  })

  it.each([[[audio]], [[config, config]], [[config, audio, config]]])(
    'on settings that do not come first and once: %j',
    async (inputs) => {
      const world = await listen(inputs)
      await expect(world.outputs).rejects.toMatchObject({ kind: 'invalid_request', code: 'invalid_live_input' })
    },
  )

  it('without a listener', async () => {
    await expect((await listen([config], { open: 'refused' })).outputs).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('where more samples a second are wished for than there can be', async () => {
    const world = await listen([{ type: 'config', language: '', sampleRate: 192_001 }])
    await expect(world.outputs).rejects.toMatchObject({ code: 'invalid_live_input' })
    expect(world.opened).toEqual([])
  })

  it('where opening takes more than 30 seconds, and the socket is given up', async () => {
    const world = await listen([config], { open: 'never' })
    await world.clock.waitForSleepers(1)
    await world.clock.advance(30_000)
    await expect(world.outputs).rejects.toMatchObject({ kind: 'timeout' })
    expect(world.isGivenUp()).toBe(true)
  })

  it('where writing takes more than 10 seconds', async () => {
    const world = await listen([config], { stuck: true })
    await world.clock.waitForSleepers(1)
    await world.clock.advance(10_000)
    await expect(world.outputs).rejects.toMatchObject({ kind: 'timeout' })
    expect(world.isClosed()).toBe(true)
  })

  it.each([
    { type: 'error', error: { message: 'bad sk-1' } },
    { type: `${EVENT}.failed`, error: { message: 'bad sk-1' } },
  ])('when the instance says %j, without its key', async (event) => {
    const world = await listen([config], { answer: (_said, reply) => reply(event) })
    await expect(world.outputs).rejects.toMatchObject({ kind: 'unavailable', message: 'bad [key]' })
    expect(world.isClosed()).toBe(true)
  })

  it('when the instance ends the socket in the middle', async () => {
    const world = await listen([config, audio], {
      endless: true,
      answer: ({ type }, _reply, end) => type === 'input_audio_buffer.append' && end(),
    })
    await expect(world.outputs).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('when it is cancelled', async () => {
    const controller = new AbortController()
    const world = await listen([config, audio], { signal: controller.signal })
    await world.clock.waitForSleepers(1)
    controller.abort()
    await expect(world.outputs).rejects.toMatchObject({ name: 'AbortError' })
    expect(world.isClosed()).toBe(true)
    expect(world.clock.sleepers).toBe(0)
  })
})
