import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLocalPrincipal } from '@svc/auth'
import { SvcError } from '@svc/errors'
import { tempDir } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { openPrivateFiles } from '../../files/private-files.ts'
import { NO_USAGE, type PredictionEvent } from '../../inference/core/events.ts'
import type { GenerationRequest } from '../../inference/core/request.ts'
import type { ThinkRequest } from '../ports.ts'
import { createStageWorld, type WorldAnswers } from './__fixtures__/stage-world.ts'

const root = await tempDir()
afterAll(() => root.close())
let folders = 0

const WHOLE = { vad: 'vad', transcription: 'heard', llm: 'thinker', tts: 'voice' }

async function startWorld(
  pipeline: NonNullable<ModelConfig['pipeline']> = WHOLE,
  answers: WorldAnswers = {},
  options: {
    readonly model?: Partial<ModelConfig>
    readonly models?: readonly ModelConfig[]
    readonly through?: readonly string[]
  } = {},
) {
  folders += 1
  const files = await openPrivateFiles(root.join(`files-${folders}`))
  return createStageWorld(pipeline, answers, { ...options, files })
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

async function* nothing(): AsyncGenerator<never> {}

const sound = Float32Array.from({ length: 16_000 }, (_, index) => Math.sin(index / 10) / 2)

const saying = (text: string) =>
  async function* (): AsyncGenerator<readonly PredictionEvent[]> {
    yield [{ type: 'text-delta', choice: 0, text }]
    yield [
      { type: 'choice-end', choice: 0, finishReason: 'stop' },
      { type: 'usage', usage: NO_USAGE },
    ]
  }

async function think(world: Awaited<ReturnType<typeof startWorld>>, request: Partial<ThinkRequest> = {}) {
  const messages = [{ role: 'user', content: 'Move up, drone' }]
  const events = (await collect(world.stages.think({ messages, tools: [], ...request }, world.call()))).flat()
  return {
    events,
    text: events.map((event) => (event.type === 'text-delta' ? event.text : '')).join(''),
    calls: events.flatMap((event) => (event.type === 'tool-call-start' ? [event.name] : [])),
  }
}

describe('the facts of a pipeline', () => {
  it('follow from its file', async () => {
    const { facts } = (await startWorld()).stages
    expect(facts).toMatchObject({
      name: 'talk',
      detectsSpeech: true,
      transcribes: true,
      thinks: true,
      speaks: true,
      isAnyToAny: false,
      isScanned: false,
      maxHistoryItems: 0,
      turnDetection: { type: 'server_vad', silenceDurationMs: 500 },
      transcriptionModel: 'heard',
      announcesSpeakers: 'none',
    })
    const semantic = { ...WHOLE, turnDetection: { type: 'semantic_vad', eagerness: 'high' } }
    expect((await startWorld(semantic)).stages.facts.turnDetection).toMatchObject({
      type: 'semantic_vad',
      eagerness: 'high',
    })
    const sounds = await startWorld({
      soundDetection: 'sounds',
      soundDetectionWindowMs: 1000,
      soundDetectionHopMs: 500,
    })
    expect(sounds.stages.facts).toMatchObject({
      thinks: false,
      turnDetection: null,
      soundWindow: { windowMs: 1000, hopMs: 500 },
    })
  })

  it('of a model that hears and speaks are its own, alone or as the model of a pipeline', async () => {
    const whole = createModel({ name: 'whole', backend: 'liquid-audio', knownUsecases: ['realtime_audio', 'vad'] })
    const alone = await startWorld(undefined, {}, { model: { ...whole, pipeline: undefined } })
    const named = await startWorld({ vad: 'vad', llm: 'whole' }, {}, { models: [whole] })
    for (const { stages } of [alone, named]) {
      expect(stages.facts).toMatchObject({ isAnyToAny: true, thinks: false, detectsSpeech: true, maxHistoryItems: 6 })
    }
  })
})

describe('speech in sound', () => {
  it('is found without a request of its own', async () => {
    const world = await startWorld(WHOLE, { quietly: () => ({ promptTokens: 0, segments: [{ start: 0, end: 1 }] }) })
    expect(await world.stages.detectSpeech(sound, world.call())).toEqual([{ start: 0, end: 1 }])
    expect(world.asked).toEqual([])
    expect(world.observed).toEqual(['speech_detection'])
    const allow = (...models: readonly string[]) => ({ ...createLocalPrincipal('eve'), models: new Set(models) })
    await world.stages.detectSpeech(sound, world.call({ principal: allow('talk') }))
    await expect(world.stages.detectSpeech(sound, world.call({ principal: allow('vad') }))).rejects.toMatchObject({
      kind: 'forbidden',
    })
  })
})

describe('a transcription', () => {
  const transcript = { text: ' hello ', language: 'en', duration: 1, segments: [] }

  it('is asked for a private file of the sound, under the name of the pipeline', async () => {
    const world = await startWorld(
      WHOLE,
      {
        operation: () => ({
          promptTokens: 0,
          live: (async function* () {
            yield { type: 'delta', text: 'hel' }
            yield { type: 'done', transcript }
          })(),
        }),
      },
      { through: ['alias'] },
    )
    const parts = await collect(world.stages.transcribe(sound, { language: 'en', prompt: 'p' }, world.call()))
    expect(parts).toEqual([
      { type: 'delta', text: 'hel' },
      { type: 'done', text: 'hello', seconds: 1 },
    ])
    const [asked] = world.asked
    expect(asked?.request).toMatchObject({ kind: 'transcribe', language: 'en', prompt: 'p', stream: true })
    expect(asked?.sound?.toString('latin1', 0, 4)).toBe('RIFF')
    expect(asked?.sound).toHaveLength(44 + 32_000)
    expect(asked?.found).toMatchObject({ name: 'talk', model: { name: 'heard' }, through: ['talk', 'alias'] })
    expect(asked?.route).toMatchObject({ path: '/v1/realtime', usecase: 'transcript', scanned: false })
    expect(asked?.requestId).toBe('r-1')
    expect(world.paths).toEqual(new Set())
    expect(world.observed).toEqual(['transcription'])
  })

  it('comes whole from a model that cannot stream, which is not asked for a stream again', async () => {
    const world = await startWorld(WHOLE, {
      operation: (request) => {
        if (request.kind === 'transcribe' && request.stream) {
          throw new SvcError('not_implemented', 'no', { code: 'no_transcription_stream' })
        }
        return { promptTokens: 0, transcript }
      },
    })
    const expected = [
      { type: 'delta', text: 'hello' },
      { type: 'done', text: 'hello', seconds: 1 },
    ]
    expect(await collect(world.stages.transcribe(sound, {}, world.call()))).toEqual(expected)
    expect(await collect(world.stages.transcribe(sound, {}, world.call()))).toEqual(expected)
    expect(world.asked.map(({ request }) => 'stream' in request && request.stream)).toEqual([true, false, false])
  })

  it('leaves no file behind when it fails, and when nobody reads on', async () => {
    const failing = await startWorld(WHOLE, {
      operation: () => {
        throw new SvcError('unavailable', 'gone', { code: 'backend_exited' })
      },
    })
    await expect(collect(failing.stages.transcribe(sound, {}, failing.call()))).rejects.toMatchObject({
      code: 'backend_exited',
    })
    const endless = await startWorld(WHOLE, {
      operation: () => ({
        promptTokens: 0,
        live: (async function* () {
          for (;;) yield { type: 'delta', text: 'x' }
        })(),
      }),
    })
    for await (const _ of endless.stages.transcribe(sound, {}, endless.call())) break
    expect([...failing.paths, ...endless.paths]).toEqual([])
  })

  it('follows the sound where the model can, and is not tried again where it cannot', async () => {
    const heard: number[] = []
    const world = await startWorld(WHOLE, {
      operation: (request) => {
        if (request.kind !== 'transcribe-live') throw new Error('live only')
        return {
          promptTokens: 0,
          live: (async function* () {
            for await (const samples of request.sound) {
              heard.push(samples.length)
              yield { type: 'delta', text: `${samples.length} ` }
            }
            yield { type: 'done', text: 'all ', seconds: 2 }
          })(),
        }
      },
    })
    const live = world.stages.transcribeLive({}, world.call())
    live?.hear(sound.subarray(0, 100))
    live?.hear(sound.subarray(0, 50))
    const parts = await collect(live?.end() ?? nothing())
    expect(parts.at(-1)).toEqual({ type: 'done', text: 'all', seconds: 2 })
    expect(live?.text).toBe('100 50 ')
    expect(heard).toEqual([100, 50])

    const unable = await startWorld(WHOLE, {
      operation: (request) => {
        if (request.kind === 'transcribe') return { promptTokens: 0, transcript }
        throw new SvcError('not_implemented', 'no', { code: 'no_live_transcription' })
      },
    })
    const none = unable.stages.transcribeLive({}, unable.call())
    none?.hear(sound)
    none?.hear(sound)
    expect((await collect(none?.end() ?? nothing())).at(-1)).toEqual({ type: 'done', text: 'hello', seconds: 1 })
    expect(unable.asked.at(-1)?.sound).toHaveLength(44 + 64_000)
    expect(unable.stages.facts.transcribesLive).toBe(false)
    expect(unable.stages.transcribeLive({}, unable.call())).toBeUndefined()
  })
})

describe('speech', () => {
  it('comes while it is made, in whole samples', async () => {
    const world = await startWorld(WHOLE, {
      operation: () => ({
        promptTokens: 0,
        sampleRate: 22_050,
        live: (async function* () {
          yield Buffer.from([0, 64, 0])
          yield Buffer.from([192])
        })(),
      }),
    })
    const made = await world.stages.speak('hi', { voice: 'v', speed: 1.5 }, world.call())
    expect(made.sampleRate).toBe(22_050)
    expect((await collect(made.samples)).flatMap((piece) => [...piece])).toEqual([0.5, -0.5])
    expect(world.asked[0]?.request).toMatchObject({ text: 'hi', voice: 'v', params: { speed: '1.5' }, stream: true })
  })

  it('is read from the file of a model that cannot stream', async () => {
    const { encodeWavHeader } = await import('@svc/audio')
    const path = root.join('a.wav')
    await writeFile(path, Buffer.concat([encodeWavHeader({ sampleRate: 24_000, frames: 2400 }), Buffer.alloc(4800, 1)]))
    const world = await startWorld(WHOLE, {
      operation: (request) => {
        if (request.kind === 'speak' && request.stream) {
          throw new SvcError('not_implemented', 'no', { code: 'no_speech_stream' })
        }
        return { promptTokens: 0, sampleRate: 16_000, sound: { path } }
      },
    })
    const made = await world.stages.speak('hi', {}, world.call())
    expect(made.sampleRate).toBe(24_000)
    expect((await collect(made.samples)).reduce((sum, piece) => sum + piece.length, 0)).toBe(2400)
  })
})

describe('the language model', () => {
  it('is asked with functions, tools of servers and the settings of the pipeline', async () => {
    const world = await startWorld(
      { ...WHOLE, reasoningEffort: 'low', disableThinking: true },
      { events: saying('hi') },
    )
    const tools = [{ type: 'function', function: { name: 'f' } }]
    expect((await think(world, { tools, hostedTools: [{}], maxTokens: 5 })).text).toBe('hi')
    expect(world.asked[0]?.request).toMatchObject({
      kind: 'chat',
      messages: [{ role: 'user', content: 'Move up, drone' }],
      tools,
      hostedTools: [{ kind: 'assistant' }, { kind: 'model-servers', required: false, ifAny: true }],
      reasoningEffort: 'low',
      thinking: false,
      generation: { maxTokens: 5 },
    })
    expect(world.asked[0]?.route.scanned).toBe(false)
    expect(world.observed).toEqual(['language_model'])
    await think(world, { tools, hostedTools: [{}], toolChoice: 'none' })
    const keys = Object.keys(world.asked[1]?.request ?? {})
    expect(keys.filter((key) => /tool/i.test(key))).toEqual([])
  })

  it('is filtered by the policy of the pipeline alone, where its file asks for it', async () => {
    const pii = { scanRealtime: true, detectors: ['d'] }
    const world = await startWorld(WHOLE, { events: saying('hi') }, { model: { pii } })
    await think(world)
    expect(world.stages.facts.isScanned).toBe(true)
    expect(world.asked[0]).toMatchObject({
      route: { scanned: 'chat-completions' },
      found: { filteredAs: { name: 'talk', pii: { enabled: true, detectors: ['d'] } } },
      body: { messages: [{ role: 'user', content: 'Move up, drone' }] },
    })
    const off = await startWorld(WHOLE, { events: saying('hi') }, { model: { pii: { ...pii, enabled: false } } })
    expect(off.stages.facts.isScanned).toBe(false)
  })

  it('gives its events at once where the file asks for whole answers', async () => {
    const world = await startWorld({ ...WHOLE, streaming: { llm: false } }, { events: saying('hi') })
    const batches = await collect(world.stages.think({ messages: [], tools: [] }, world.call()))
    expect(batches.map((events) => events.map(({ type }) => type))).toEqual([['text-delta', 'choice-end', 'usage']])
  })

  it('ends when nobody reads its events any more', async () => {
    let hasEnded = false
    const world = await startWorld(WHOLE, {
      events: async function* () {
        try {
          for (;;) yield [{ type: 'text-delta', choice: 0, text: 'x' }]
        } finally {
          hasEnded = true
        }
      },
    })
    for await (const _ of world.stages.think({ messages: [], tools: [] }, world.call())) break
    await new Promise((resolve) => setImmediate(resolve))
    expect(hasEnded).toBe(true)
  })
})

describe('a list of answers', () => {
  const classifier = {
    enabled: true,
    threshold: 0.6,
    options: [
      { id: 'up', description: 'go up', reply: 'Going up.', tool: { name: 'move', arguments: { direction: 'up' } } },
      { id: 'hello', description: 'a greeting', reply: 'Hello.' },
    ],
    fallback: { mode: 'reply', reply: 'Say again?' },
  }
  const scoring = (...scores: readonly number[]): WorldAnswers => ({
    operation: () => ({ promptTokens: 0, candidates: scores.map((logProb) => ({ logProb, tokens: 1 })) }),
    events: saying('generated'),
  })

  it('answers with the entry that fits best, and its call', async () => {
    const world = await startWorld({ ...WHOLE, classifier }, scoring(-0.1, -5))
    const results: unknown[] = []
    const { text, calls, events } = await think(world, { onClassified: (result) => results.push(result) })
    expect([text, calls]).toEqual(['Going up.', ['move']])
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool-call-delta', arguments: '{"direction":"up"}' }))
    expect(results).toMatchObject([{ chosen: 'up', threshold: 0.6 }])
    expect(world.asked[0]?.request).toMatchObject({ kind: 'score', candidates: [' up', ' hello'] })
    expect(world.finished).toEqual(['talk'])
  })

  it('falls back where none fits, where nothing was said, and where nobody is meant', async () => {
    const world = await startWorld({ ...WHOLE, classifier }, scoring(-1, -1))
    expect((await think(world)).text).toBe('Say again?')
    expect((await think(world, { messages: [{ role: 'user', content: ' ' }] })).text).toBe('Say again?')
    const generating = await startWorld(
      { ...WHOLE, classifier: { ...classifier, fallback: { mode: 'generate' } } },
      scoring(-1, -1),
    )
    expect((await think(generating)).text).toBe('generated')
    const named = await startWorld(
      { ...WHOLE, classifier: { ...classifier, address: { names: ['Drone'] } } },
      scoring(0, -9),
    )
    expect((await think(named)).text).toBe('Going up.')
    const results: { readonly fallback?: unknown }[] = []
    const other = await think(named, {
      messages: [{ role: 'user', content: 'drones go up' }],
      onClassified: (result) => results.push(result),
    })
    expect(other.text).toBe('')
    expect(results[0]?.fallback).toBe('not_addressed')
  })

  it('leaves the results of calls to the language model', async () => {
    const world = await startWorld({ ...WHOLE, classifier }, scoring(0, -9))
    const messages = [{ role: 'tool', tool_call_id: 'c', content: '{}' }]
    expect((await think(world, { messages })).text).toBe('generated')
  })
})

describe('a long conversation', () => {
  it('gets a summary in place of its old turns', async () => {
    const asked: GenerationRequest[] = []
    const world = await startWorld(
      { ...WHOLE, maxHistoryItems: 2, compaction: { enabled: true, triggerItems: 3, summaryModel: 'short' } },
      {
        events: (request) => {
          asked.push(request)
          return saying('They met.')()
        },
      },
    )
    const turns = ['a', 'b', 'c', 'd'].map((content, index) => ({ role: index % 2 ? 'assistant' : 'user', content }))
    const messages = [{ role: 'system', content: 'Be kind.' }, ...turns]
    expect(await world.stages.compact(messages.slice(0, 4), world.call())).toHaveLength(4)
    const short = await world.stages.compact(messages, world.call())
    expect(short.map(({ content }) => content)).toEqual([
      'Be kind.',
      'Summary of the conversation so far:\nThey met.',
      'c',
      'd',
    ])
    expect(world.asked[0]?.found.model.name).toBe('short')
    expect(world.stages.facts.maxHistoryItems).toBe(0)
    const longer = [...short, { role: 'user', content: 'e' }, { role: 'assistant', content: 'f' }]
    expect(await world.stages.compact(longer.slice(0, -1), world.call())).toHaveLength(5)
    const again = await world.stages.compact(longer, world.call())
    expect(again.map(({ role }) => role)).toEqual(['system', 'system', 'user', 'assistant'])
    expect(asked).toHaveLength(2)
    expect(JSON.stringify(asked[1])).toMatch(/They met\..*User: c.*Assistant: d/)
    expect(JSON.stringify(asked[1])).not.toContain('User: a')
  })

  it('stays as it is where the summary is empty', async () => {
    const world = await startWorld(
      { ...WHOLE, maxHistoryItems: 1, compaction: { enabled: true, triggerItems: 2 } },
      { events: saying(' ') },
    )
    const messages = ['a', 'b', 'c'].map((content) => ({ role: 'user', content }))
    expect(await world.stages.compact(messages, world.call())).toBe(messages)
  })

  it('keeps the result of a call beside the call', async () => {
    const world = await startWorld(
      { ...WHOLE, maxHistoryItems: 1, compaction: { enabled: true, triggerItems: 2 } },
      { events: saying('s') },
    )
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: '', tool_calls: [] },
      { role: 'tool', content: 'r' },
    ]
    const roles = (await world.stages.compact(messages, world.call())).map(({ role }) => role)
    expect(roles).toEqual(['system', 'assistant', 'tool'])
  })
})

describe('the speaker', () => {
  async function startSpeakers(block: object, distance: number) {
    const folder = root.join('models')
    await mkdir(join(folder, 'voices'), { recursive: true })
    await writeFile(join(folder, 'voices', 'ada.wav'), 'x')
    const voiceRecognition = { model: 'people', references: [{ name: 'Ada', audio: 'voices/ada.wav' }], ...block }
    return startWorld(
      { ...WHOLE, voiceRecognition },
      { operation: () => ({ promptTokens: 0, isVerified: true, distance }), events: saying('hi') },
      { model: { folder } },
    )
  }

  it('is recognised by references, and refused without one that fits', async () => {
    const known = await startSpeakers({}, 0.1)
    await known.stages.load(known.call())
    expect(await known.stages.recognizeSpeaker(sound, known.call())).toEqual({
      name: 'Ada',
      isAccepted: true,
      isSilent: false,
    })
    expect(known.asked[0]?.request).toMatchObject({ kind: 'verify-voice', threshold: 0.25, antiSpoofing: false })
    const stranger = await startSpeakers({ onReject: 'drop_silent' }, 0.9)
    expect(await stranger.stages.recognizeSpeaker(sound, stranger.call())).toEqual({
      name: undefined,
      isAccepted: false,
      isSilent: true,
    })
    const lenient = await startSpeakers({ enforce: false }, 0.9)
    expect(await lenient.stages.recognizeSpeaker(sound, lenient.call())).toMatchObject({ isAccepted: true })
    expect(lenient.asked).toEqual([])
  })

  it('is asked for once with `when: first`', async () => {
    const world = await startSpeakers({ when: 'first' }, 0.1)
    await world.stages.recognizeSpeaker(sound, world.call())
    expect(await world.stages.recognizeSpeaker(sound, world.call())).toMatchObject({ isAccepted: true })
    expect(world.asked).toHaveLength(1)
  })

  it('is named to the language model as the file says', async () => {
    const identity = { personalize: true, injectName: true, injectSystemNote: true, noteUnknown: true }
    const world = await startSpeakers({ identity }, 0.1)
    await think(world, { speaker: { name: 'Ada L.' } })
    expect(world.asked[0]?.request).toMatchObject({
      messages: [
        { role: 'system', content: 'The current speaker is Ada L..' },
        { role: 'user', name: 'Ada_L_' },
      ],
    })
    await think(world, { speaker: { name: undefined } })
    expect(world.asked[1]?.request).toMatchObject({ messages: [{ content: 'The current speaker is unknown.' }, {}] })
  })

  it.each([
    ['mode', { mode: 'identify' }],
    ['allow.labels', { allow: { labels: ['family'] } }],
    ['allow.names', { allow: { names: ['Bob'] } }],
    ['references[0].audio', { references: [{ name: 'Eve', audio: '../x.wav' }] }],
    ['references[0].audio', { references: [{ name: 'Eve', audio: 'no.wav' }] }],
    ['mode', { references: [] }],
    ['references', { mode: 'verify', references: [] }],
  ])('cannot be recognised with a wrong %s: the load says so', async (key, block) => {
    const world = await startSpeakers(block, 0.1)
    const named = expect.stringContaining(`pipeline.voice_recognition.${key}:`)
    await expect(world.stages.load(world.call())).rejects.toMatchObject({ code: 'invalid_pipeline', message: named })
  })
})

describe('loading a pipeline', () => {
  it('loads all its models at once', async () => {
    let running = 0
    let most = 0
    const world = await startWorld(WHOLE, {
      async load() {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
      },
    })
    await world.stages.load(world.call())
    expect([...world.loaded].sort()).toEqual(['heard', 'thinker', 'vad', 'voice'])
    expect(most).toBe(4)
    const lazy = await startWorld({ ...WHOLE, disableWarmup: true })
    await lazy.stages.load(lazy.call())
    expect(lazy.loaded).toEqual([])
  })

  it('names unknown models, and refuses pipelines in pipelines', async () => {
    const world = await startWorld({ ...WHOLE, tts: 'nobody', vad: 'neither' })
    await expect(world.stages.load(world.call())).rejects.toMatchObject({
      code: 'model_load_failed',
      message: expect.stringMatching(/pipeline\.vad: model "neither" .* pipeline\.tts: model "nobody" does not exist/),
    })
    const self = await startWorld({ ...WHOLE, llm: 'talk' })
    await expect(self.stages.load(self.call())).rejects.toMatchObject({ code: 'nested_pipeline' })
    expect(self.loaded).toEqual([])
  })

  it('refuses a language model that is forwarded as it comes', async () => {
    const models = [createModel({ name: 'thinker', backend: 'cloud-proxy', proxy: {} })]
    const world = await startWorld(WHOLE, {}, { models })
    const named = expect.stringContaining('pipeline.llm: model "thinker" is forwarded as it comes')
    await expect(world.stages.load(world.call())).rejects.toMatchObject({ code: 'invalid_pipeline', message: named })
  })

  it('joins the failures of several models', async () => {
    const world = await startWorld(WHOLE, {
      async load({ name }) {
        if (name === 'vad' || name === 'tts') throw new SvcError('internal', 'no memory', { code: 'model_load_failed' })
      },
    })
    await expect(world.stages.load(world.call())).rejects.toMatchObject({ message: 'model "vad": no memory' })
    const models = [createModel({ name: 'heard', disabled: true })]
    const disabled = await startWorld(WHOLE, {}, { models })
    await expect(disabled.stages.load(disabled.call())).rejects.toMatchObject({ code: 'model_disabled' })
  })

  it('leaves models alone that have nothing to load', async () => {
    const models = [
      createModel({ name: 'thinker', router: { candidates: [{ model: 'a' }] } }),
      createModel({ name: 'heard', backend: 'cloud-proxy', proxy: { mode: 'translate' } }),
    ]
    const world = await startWorld(WHOLE, {}, { models })
    await world.stages.load(world.call())
    expect([...world.loaded].sort()).toEqual(['vad', 'voice'])
  })

  it.each([
    ['options', { options: [] }],
    ['options', { options: [{ id: 'a' }, { id: 'a' }] }],
    ['fallback.mode', { fallback: { mode: 'maybe' } }],
    ['options.*.tool.slots', { options: [{ id: 'a', tool: { name: 'f', slots: [{ name: 's' }] } }] }],
  ])('refuses a list of answers with wrong %s', async (key, block) => {
    const classifier = { enabled: true, options: [{ id: 'a' }], ...block }
    const world = await startWorld({ ...WHOLE, classifier })
    const named = expect.stringContaining(`pipeline.classifier.${key}:`)
    await expect(world.stages.load(world.call())).rejects.toMatchObject({ code: 'invalid_pipeline', message: named })
  })
})

describe('the rights of a caller', () => {
  it('suffice with the pipeline alone; a disabled model stays disabled, and quotas hold', async () => {
    const reserved: string[] = []
    const world = await startWorld(WHOLE, {
      async reserve(model) {
        reserved.push(model)
        if (model === 'voice') throw new SvcError('rate_limited', 'used up', { code: 'quota_exceeded' })
      },
    })
    await world.stages.check(world.call())
    expect(world.used).toEqual(['talk'])
    const principal = { ...createLocalPrincipal('ada'), quotas: [{ model: '' }] } as never
    await expect(world.stages.check(world.call({ principal }))).rejects.toMatchObject({ code: 'quota_exceeded' })
    expect(reserved).toContain('vad')
    const off = await startWorld(WHOLE, {}, { models: [createModel({ name: 'voice', disabled: true })] })
    await expect(off.stages.check(off.call())).rejects.toMatchObject({ code: 'model_disabled' })
  })
})

describe('other stages', () => {
  it('name sounds, and let a model hear and speak by itself', async () => {
    const sounds = await startWorld(
      { soundDetection: 'sounds' },
      { operation: () => ({ promptTokens: 0, classes: [{ index: 0, label: 'Dog', score: 0.9 }] }) },
    )
    expect(await sounds.stages.classifySounds(sound, sounds.call())).toEqual([{ label: 'Dog', score: 0.9 }])
    expect(sounds.paths).toEqual(new Set())
    const whole = createModel({ name: 'whole', knownUsecases: ['realtime_audio'] })
    const parts = [
      { type: 'transcript', text: 'hi' },
      { type: 'audio', samples: Float32Array.of(0.5), sampleRate: 24_000 },
    ]
    const talk = await startWorld(
      { llm: 'whole' },
      {
        operation: () => ({
          promptTokens: 0,
          live: (async function* () {
            yield* parts
          })(),
        }),
      },
      { models: [whole], model: { pii: { scanRealtime: true } } },
    )
    const history = [{ role: 'user', content: 'Hi' }]
    const turn = { samples: sound, instructions: 'Be kind.', tools: [], history }
    expect(await collect(talk.stages.converse(turn, talk.call()))).toEqual(parts)
    const text = { instructions: 'Be kind.', history, tools: [] }
    expect(talk.asked[0]?.request).toMatchObject({ kind: 'converse', ...text, sampleRate: 16_000 })
    expect(talk.asked[0]?.route.scanned).toBe('chat-completions')
    expect(talk.observed).toEqual(['conversation'])
  })

  it('without a model are refused by the key of the file', async () => {
    const world = await startWorld({ soundDetection: 'sounds' })
    await expect(world.stages.speak('x', {}, world.call())).rejects.toMatchObject({
      code: 'stage_missing',
      message: expect.stringContaining('pipeline.tts'),
    })
  })
})
