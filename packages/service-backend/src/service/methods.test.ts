import { describe, expect, it } from 'vitest'
import { file, json, readText, type ServiceWorld, startWorld } from '../../test/service-world.ts'

const signal = new AbortController().signal
const call = { signal }
const sound = { bytes: Buffer.from('RIFF'), name: 'a".wav' }
const base = { prompt: 'p', negativePrompt: '', width: 0, height: 0, seed: 0, steps: 0 }

interface Row {
  readonly ask: (world: ServiceWorld) => Promise<unknown>
  readonly path: string
  readonly sends: unknown
  readonly reply: unknown
  readonly gives: unknown
}

const ROWS: Record<string, Row> = {
  'embed a text': {
    ask: ({ service }) => service.embed('x', call),
    path: '/v1/embeddings',
    sends: { model: 'm', input: 'x', encoding_format: 'float' },
    reply: { data: [{ embedding: [0.5, -1] }], usage: { prompt_tokens: 3 } },
    gives: { embedding: [0.5, -1], promptTokens: 3 },
  },
  'embed tokens': {
    ask: ({ service }) => service.embed([1, 2], call),
    path: '/v1/embeddings',
    sends: { model: 'm', input: [[1, 2]], encoding_format: 'float' },
    reply: { data: [{ embedding: [] }] },
    gives: { embedding: [], promptTokens: 0 },
  },
  'embed a text, cut to the context': {
    ask: ({ service }) => service.embedStart('x', call),
    path: '/api/embed',
    sends: { model: 'm', input: 'x', truncate: true },
    reply: { embeddings: [[0.5, -1]], prompt_eval_count: 3 },
    gives: { embedding: [0.5, -1], promptTokens: 3 },
  },
  rerank: {
    ask: ({ service }) => service.rerank({ query: 'q', documents: ['a', 'b'], topN: 1 }, call),
    path: '/v1/rerank',
    sends: { model: 'm', query: 'q', documents: ['a', 'b'], top_n: 1 },
    reply: { results: [{ index: 1, relevance_score: 0.5 }], usage: { total_tokens: 4, prompt_tokens: 3 } },
    gives: { results: [{ index: 1, text: 'b', relevanceScore: 0.5 }], totalTokens: 4, promptTokens: 3 },
  },
  'rerank all': {
    ask: ({ service }) => service.rerank({ query: 'q', documents: ['a'], topN: 0 }, call),
    path: '/v1/rerank',
    sends: { model: 'm', query: 'q', documents: ['a'] },
    reply: { results: [{ index: 0, document: { text: 'A' }, relevance_score: 1 }] },
    gives: { results: [{ index: 0, text: 'A', relevanceScore: 1 }], totalTokens: 0, promptTokens: 0 },
  },
  tokenize: {
    ask: ({ service }) => service.tokenize('x', call),
    path: '/v1/tokenize',
    sends: { model: 'm', content: 'x' },
    reply: { tokens: [1, 2] },
    gives: [1, 2],
  },
  'count the tokens of a conversation': {
    ask: ({ service }) =>
      service.countTokens(
        {
          messages: [
            { role: 'system', content: 'brief' },
            { role: 'user', content: 'hi' },
            {
              role: 'assistant',
              content: '',
              tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
            },
            { role: 'tool', content: '7', tool_call_id: 'a' },
          ],
          tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
          toolChoice: 'auto',
          metadata: { enable_thinking: 'false' },
        },
        call,
      ),
    path: '/v1/messages/count_tokens',
    sends: {
      model: 'm',
      system: 'brief',
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '7' }] },
      ],
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      tool_choice: { type: 'auto' },
      metadata: { enable_thinking: 'false' },
    },
    reply: { input_tokens: 12 },
    gives: 12,
  },
  detokenize: {
    ask: ({ service }) => service.detokenize([1, 2], call),
    path: '/v1/detokenize',
    sends: { model: 'm', tokens: [1, 2] },
    reply: { content: 'x' },
    gives: 'x',
  },
  score: {
    ask: ({ service }) =>
      service.score({ prompt: 'p', candidates: ['a'], lengthNormalize: true, includeTokenLogprobs: false }, call),
    path: '/api/score',
    sends: { model: 'm', prompt: 'p', candidates: ['a'], length_normalize: true },
    reply: { candidates: [{ log_prob: -2, length_normalized_log_prob: -1, num_tokens: 2 }] },
    gives: [{ logProb: -2, lengthNormalizedLogProb: -1, numTokens: 2, tokens: [] }],
  },
  'find a voice': {
    ask: ({ service }) => service.detectSpeech([0, 0.5], call),
    path: '/v1/vad',
    sends: { model: 'm', audio: [0, 0.5] },
    reply: { segments: [{ start: 0.5, end: 1 }] },
    gives: [{ start: 0.5, end: 1 }],
  },
  detect: {
    ask: ({ service }) =>
      service.detect({ image: 'data:,', prompt: '', points: [1, 2, 1], boxes: [], threshold: 0 }, call),
    path: '/v1/detection',
    sends: { model: 'm', image: 'data:,', points: [1, 2, 1] },
    reply: { detections: [{ x: 1, y: 2, width: 3, height: 4, class_name: 'cat', confidence: 0.5, mask: 'AA==' }] },
    gives: [{ x: 1, y: 2, width: 3, height: 4, confidence: 0.5, className: 'cat', mask: Buffer.of(0) }],
  },
  'measure depth': {
    ask: ({ service }) =>
      service.measureDepth(
        {
          image: 'data:,',
          includeDepth: true,
          includeConfidence: false,
          includePose: false,
          includeSky: false,
          includePoints: false,
          pointsConfidenceThreshold: 0,
          exports: [],
        },
        call,
      ),
    path: '/v1/depth',
    sends: { model: 'm', image: 'data:,', include_depth: true },
    reply: { width: 1, height: 1, depth: [2], is_metric: true, point_colors: 'AQ==' },
    gives: {
      width: 1,
      height: 1,
      depth: [2],
      confidence: [],
      sky: [],
      extrinsics: [],
      intrinsics: [],
      numPoints: 0,
      points: [],
      pointColors: Buffer.of(1),
      isMetric: true,
    },
  },
  'verify faces': {
    ask: ({ service }) => service.verifyFaces({ first: 'a', second: 'b', threshold: 0, antiSpoofing: true }, call),
    path: '/v1/face/verify',
    sends: { model: 'm', img1: 'a', img2: 'b', anti_spoofing: true },
    reply: {
      verified: true,
      distance: 0.25,
      confidence: 75,
      img1_area: { x: 1, y: 2, w: 3, h: 4 },
      img2_is_real: true,
    },
    gives: {
      verified: true,
      distance: 0.25,
      threshold: 0,
      confidence: 75,
      model: '',
      processingTimeMs: 0,
      areas: [
        { x: 1, y: 2, w: 3, h: 4 },
        { x: 0, y: 0, w: 0, h: 0 },
      ],
      real: [false, true],
      antispoofScores: [0, 0],
    },
  },
  'analyze faces': {
    ask: ({ service }) => service.analyzeFaces({ image: 'a', actions: ['age'], antiSpoofing: false }, call),
    path: '/v1/face/analyze',
    sends: { model: 'm', img: 'a', actions: ['age'] },
    reply: { faces: [{ age: 30, dominant_race: 'x', race: { x: 1, y: 'bad' }, is_real: true }] },
    gives: [
      {
        age: 30,
        dominantGender: '',
        gender: {},
        dominantEmotion: '',
        emotion: {},
        region: { x: 0, y: 0, w: 0, h: 0 },
        faceConfidence: 0,
        dominantRace: 'x',
        race: { x: 1 },
        isReal: true,
        antispoofScore: 0,
      },
    ],
  },
  'verify voices': {
    ask: ({ service }) => service.verifyVoices({ first: 'a', second: 'b', threshold: 0.5, antiSpoofing: false }, call),
    path: '/v1/voice/verify',
    sends: { model: 'm', audio1: 'a', audio2: 'b', threshold: 0.5 },
    reply: { verified: false, model: 'v', processing_time_ms: 5 },
    gives: { verified: false, distance: 0, threshold: 0, confidence: 0, model: 'v', processingTimeMs: 5 },
  },
  'analyze a voice': {
    ask: ({ service }) => service.analyzeVoice({ audio: 'a', actions: [] }, call),
    path: '/v1/voice/analyze',
    sends: { model: 'm', audio: 'a' },
    reply: { segments: [{ start: 1, end: 2, age: 30, dominant_emotion: 'calm', emotion: { calm: 1 } }] },
    gives: [
      { start: 1, end: 2, age: 30, dominantGender: '', gender: {}, dominantEmotion: 'calm', emotion: { calm: 1 } },
    ],
  },
  'embed a voice': {
    ask: ({ service }) => service.embedVoice('a', call),
    path: '/v1/voice/embed',
    sends: { model: 'm', audio: 'a' },
    reply: { embedding: [1], model: 'v' },
    gives: { embedding: [1], model: 'v' },
  },
  'get from a store': {
    ask: ({ service }) => service.storesGet([[1, 2]], call),
    path: '/stores/get',
    sends: { store: 'm', keys: [[1, 2]] },
    reply: { keys: [[1, 2]], values: ['é'] },
    gives: { keys: [[1, 2]], values: [new TextEncoder().encode('é')] },
  },
  'find in a store': {
    ask: ({ service }) => service.storesFind({ key: [1], topK: 2 }, call),
    path: '/stores/find',
    sends: { store: 'm', key: [1], topk: 2 },
    reply: { keys: [[1]], values: ['a'], similarities: [0.5] },
    gives: { keys: [[1]], values: [new TextEncoder().encode('a')], similarities: [0.5] },
  },
}

describe.each(Object.entries(ROWS))('%s', (_name, { ask, path, sends, reply, gives }) => {
  it('asks its route and reads the reply', async () => {
    await using world = await startWorld()
    world.instance.enqueue(json(reply))
    expect(await ask(world)).toEqual(gives)
    expect(world.instance.requests[0]).toMatchObject({ method: 'POST', path })
    expect(world.asked()).toEqual(sends)
  })

  it('is not implemented where the instance has no such route', async () => {
    await using world = await startWorld()
    world.instance.enqueue(json({ error: { message: 'Resource not found' } }, 404))
    await expect(ask(world)).rejects.toMatchObject({ kind: 'not_implemented' })
  })

  it('fails as internal on a reply of another shape', async () => {
    await using world = await startWorld()
    world.instance.enqueue(json({ strange: true }))
    const outcome = await ask(world).then(
      (value) => value,
      (error: { kind: string }) => error.kind,
    )
    // An unknown store counts as an empty one.
    if (path.startsWith('/stores/')) expect(outcome).toMatchObject({ keys: [], values: [] })
    else expect(outcome).toBe('internal')
  })
})

describe('stores', () => {
  it('store and delete texts without a reply', async () => {
    await using world = await startWorld()
    world.instance.replyWith({ body: '' })
    await world.service.storesSet({ keys: [[1]], values: [new TextEncoder().encode('é')] }, call)
    expect(world.asked()).toEqual({ store: 'm', keys: [[1]], values: ['é'] })
    await world.service.storesDelete([[1]], call)
    expect(world.asked()).toEqual({ store: 'm', keys: [[1]] })
    expect(world.instance.requests.map(({ path }) => path)).toEqual(['/stores/set', '/stores/delete'])
  })

  it('take no values that are not UTF-8', async () => {
    await using world = await startWorld()
    const setting = world.service.storesSet({ keys: [[1]], values: [Uint8Array.of(0xff)] }, call)
    await expect(setting).rejects.toMatchObject({ kind: 'invalid_request', code: 'not_forwardable' })
    expect(world.instance.requests).toEqual([])
  })

  it('with columns of different lengths are unreadable', async () => {
    await using world = await startWorld()
    world.instance.enqueue(json({ keys: [[1]], values: [] }))
    await expect(world.service.storesGet([[1]], call)).rejects.toMatchObject({ kind: 'internal' })
  })
})

describe('the models of an instance', () => {
  it('are the names in its list', async () => {
    await using world = await startWorld()
    world.instance.enqueue(json({ object: 'list', data: [{ id: 'a' }, { id: 'b' }, {}] }))
    expect(await world.service.models(call)).toEqual(['a', 'b', ''])
    expect(world.instance.requests[0]?.path).toBe('/v1/models')
    world.instance.enqueue(json({ data: 'none' }))
    await expect(world.service.models(call)).rejects.toMatchObject({ kind: 'internal' })
    world.instance.enqueue(json({ error: { message: 'wrong key' } }, 401))
    await expect(world.service.models(call)).rejects.toMatchObject({ kind: 'invalid_request' })
  })
})

describe('calls that cannot be forwarded', () => {
  // verifies service-proxy:limit:depth, service-proxy:limit:sound-source
  it('is told without asking: sound from a file, exports of depth, live transcription without sockets', async () => {
    await using world = await startWorld({ realtimePipeline: 'p' })
    const depth = { image: '', exports: ['glb'] } as unknown as Parameters<typeof world.service.measureDepth>[0]
    const refused = { kind: 'not_implemented', code: 'not_forwardable' }
    await expect(world.service.makeSound({ text: 'x', source: '/a.wav' }, call)).rejects.toMatchObject(refused)
    await expect(world.service.measureDepth(depth, call)).rejects.toMatchObject(refused)
    expect(() => world.service.transcribeLive((async function* () {})(), call)).toThrow(
      expect.objectContaining(refused),
    )
    expect(world.instance.requests).toEqual([])
  })
})

describe('content generated as a file', () => {
  const picture = { ...base, references: [] }
  const film = {
    ...base,
    startImage: '',
    endImage: '',
    audio: '',
    frames: 5,
    framesPerSecond: 0,
    cfgScale: 0,
    params: {},
  }
  const shape = {
    image: 'AA==',
    seed: 0,
    steps: 0,
    cfgScale: 0,
    textureSteps: 3,
    quality: 'auto',
    background: '',
    params: {},
  }
  const MADE = [
    ['images', '/v1/images/generations', (world: ServiceWorld) => world.service.makeImage(picture, call)],
    [
      'images',
      '/v1/images/upscale',
      (world: ServiceWorld) => world.service.upscaleImage({ image: 'AA==', scale: 2 }, call),
    ],
    ['videos', '/video', (world: ServiceWorld) => world.service.makeVideo(film, call)],
    ['3d', '/3d/generations', (world: ServiceWorld) => world.service.makeShape(shape, call)],
  ] as const

  it.each(MADE)('(%s at %s) comes in the reply', async (_kind, path, make) => {
    await using world = await startWorld()
    world.instance.enqueue(json({ data: [{ b64_json: Buffer.from('made').toString('base64') }] }))
    expect(await readText(await make(world))).toBe('made')
    expect(world.instance.requests[0]?.path).toBe(path)
    expect(world.asked()).toMatchObject({ model: 'm', response_format: 'b64_json' })
  })

  it.each(MADE)('(%s at %s) comes as the reply itself', async (_kind, _path, make) => {
    await using world = await startWorld()
    world.instance.enqueue(file('made', 'model/gltf-binary'))
    expect(await readText(await make(world))).toBe('made')
  })

  it.each(MADE)('(%s at %s) is fetched from where it is kept, with the key', async (kind, _path, make) => {
    await using world = await startWorld({ apiKeyEnv: 'KEY' })
    world.instance.enqueue(json({ data: [{ url: `https://elsewhere/generated-${kind}/a.bin` }] }), file('made'))
    expect(await readText(await make(world))).toBe('made')
    expect(world.instance.requests[1]).toMatchObject({ method: 'GET', path: `/generated-${kind}/a.bin` })
    expect(world.instance.requests[1]?.header('authorization')).toEqual(['Bearer sk-secret'])
  })

  it.each(MADE)('(%s at %s) is fetched from nowhere else', async (_kind, _path, make) => {
    await using world = await startWorld()
    world.instance.enqueue(json({ data: [{ url: '/api/keys' }] }))
    await expect(make(world)).rejects.toMatchObject({ kind: 'internal' })
    expect(world.instance.requests).toHaveLength(1)
  })

  it('is described as the routes have it', async () => {
    await using world = await startWorld()
    world.instance.replyWith(json({ data: [{ b64_json: 'AA==' }] }))
    const asked = async (made: Promise<AsyncIterable<Uint8Array>>) => {
      await readText(await made)
      return world.asked()
    }
    const input = { ...picture, negativePrompt: 'n', width: 64, height: 32, steps: 5, seed: 7, source: 'AA==' }
    expect(await asked(world.service.makeImage(input, call))).toEqual({
      model: 'm',
      prompt: 'p|n',
      n: 1,
      response_format: 'b64_json',
      size: '64x32',
      step: 5,
      seed: 7,
      file: 'AA==',
    })
    expect(await asked(world.service.makeVideo(film, call))).toEqual({
      model: 'm',
      prompt: 'p',
      response_format: 'b64_json',
      num_frames: 5,
    })
    expect(await asked(world.service.makeShape(shape, call))).toEqual({
      model: 'm',
      image: 'AA==',
      response_format: 'b64_json',
      texture_steps: 3,
      quality: 'auto',
    })
  })
})

describe('forms', () => {
  it('diarize speakers', async () => {
    await using world = await startWorld()
    const reply = {
      num_speakers: 1,
      duration: 2,
      language: 'de',
      segments: [{ start: 0, end: 1, speaker: 'S', text: 'x' }],
    }
    world.instance.enqueue(json(reply))
    const input = {
      file: sound,
      language: 'de',
      numSpeakers: 2,
      minSpeakers: 0,
      maxSpeakers: 0,
      clusteringThreshold: 0.5,
      minDurationOn: 0,
      minDurationOff: 0,
      includeText: true,
    }
    expect(await world.service.diarize(input, call)).toEqual({
      segments: [{ id: 0, start: 0, end: 1, speaker: 'S', text: 'x' }],
      numSpeakers: 1,
      duration: 2,
      language: 'de',
    })
    expect(world.instance.requests[0]?.path).toBe('/v1/audio/diarization')
    expect(world.askedForm()).toEqual([
      ['model', 'm'],
      ['file', 'RIFF'],
      ['language', 'de'],
      ['num_speakers', '2'],
      ['clustering_threshold', '0.5'],
      ['include_text', 'true'],
      ['response_format', 'verbose_json'],
    ])
    expect(world.instance.requests[0]?.text()).toContain('filename="a%22.wav"')
  })

  it('classify sounds', async () => {
    await using world = await startWorld()
    world.instance.enqueue(json({ detections: [{ index: 3, label: 'bark', score: 0.5 }] }))
    expect(await world.service.classifySound({ file: sound, topK: 1, threshold: 0 }, call)).toEqual([
      { index: 3, label: 'bark', score: 0.5 },
    ])
    expect(world.askedForm()).toEqual([
      ['model', 'm'],
      ['file', 'RIFF'],
      ['top_k', '1'],
    ])
  })

  it('change sound; its parts are looked for where the instance keeps its sound alone', async () => {
    await using world = await startWorld()
    const stems = [
      { name: 'voice', url: 'https://elsewhere/generated-audio/v.wav' },
      { name: 'rest', url: '/api/keys' },
    ]
    world.instance.enqueue(
      { headers: { 'content-type': 'audio/wav', 'x-audio-stems': JSON.stringify(stems) }, body: 'changed' },
      file('stem', 'audio/wav'),
    )
    const reference = { bytes: Buffer.from('ref'), name: 'r.wav' }
    const changed = await world.service.transformAudio({ audio: sound, reference, params: { a: 'b' } }, call)
    expect(await readText(changed.body)).toBe('changed')
    expect(changed.stems.map(({ name }) => name)).toEqual(['voice'])
    expect(world.askedForm()).toEqual([
      ['model', 'm'],
      ['audio', 'RIFF'],
      ['reference', 'ref'],
      ['params[a]', 'b'],
    ])
    const [stem] = changed.stems
    if (stem === undefined) throw new Error('there is no stem')
    expect(await readText(await world.service.download(stem.url, call))).toBe('stem')
    expect(world.instance.requests[1]?.path).toBe('/generated-audio/v.wav')
  })
})
