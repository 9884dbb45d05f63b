import { startUpstream, type Upstream, type UpstreamScript } from '@svc/test-kit'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { PNG } from '../../src/inference/media/__fixtures__/samples.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { writeForwarded } from '../support/server-pair.ts'
import { expectNoTemporaryFiles, type FormField, makeWav, sendForm } from '../support/sound.ts'

const HEARS = ['transcript', 'vad', 'diarization', 'sound_classification']
const EVERYTHING = { known_usecases: ['tts', 'sound_generation', 'image', 'stores', ...HEARS] }
const MODEL: FormField = ['model', 'm']
const FILE: FormField = ['file', { name: 'a.wav', bytes: makeWav(1) }]
const png = PNG.toString('base64')

let near: TestServer
let client: OpenAI

beforeAll(async () => {
  near = await startTestServer()
  client = new OpenAI({ baseURL: `${near.url}/v1`, apiKey: 'k', maxRetries: 0 })
})
afterAll(() => near?.close())

/** Removes what differs between two replies. */
function settled(text: string): string {
  return text
    .replace(/"id":"[^"]*"/g, '"id":"ID"')
    .replace(/"created":\d+/g, '"created":0')
    .replace(/data:image[^"]*|"b64_json":"[^"]*"/g, '"image"')
}

describe('every media route of two servers in a row', () => {
  let far: TestServer
  beforeAll(async () => {
    far = await startTestServer()
    await far.model('m', {}, EVERYTHING)
    await writeForwarded(near, { name: 'm', url: far.url, keys: EVERYTHING })
  })
  afterAll(() => far?.close())

  it.each<[string, Record<string, unknown>]>([
    ['/v1/audio/speech', { input: 'one two', response_format: 'wav' }],
    ['/v1/audio/speech', { input: 'one two', response_format: 'pcm', stream: true }],
    ['/v1/audio/speech', { input: 'one two', voice: 'anna', speed: 1.5, instructions: 'slow' }],
    ['/tts', { input: 'one two' }],
    ['/v1/text-to-speech/anna', { text: 'one two', model_id: 'm' }],
    ['/v1/sound-generation', { text: 'rain', model_id: 'm', duration_seconds: 1 }],
    ['/v1/vad', { audio: [0.5, 0.5, 0.5] }],
    ['/v1/images/generations', { prompt: 'a|b', size: '64x32', response_format: 'b64_json' }],
    ['/stores/set', { store: 'm', keys: [[1, 0]], values: ['a'] }],
    ['/stores/find', { store: 'm', key: [1, 0], topk: 1 }],
  ])('answers %s %j alike', async (path, body) => {
    const [direct, forwarded] = [
      await far.post(path, { model: 'm', ...body }),
      await near.post(path, { model: 'm', ...body }),
    ]
    expect([direct.status, forwarded.status, settled(forwarded.text)]).toEqual([200, 200, settled(direct.text)])
    expect(forwarded.headers['content-type']).toBe(direct.headers['content-type'])
  })

  it.each<[string, readonly FormField[]]>([
    ['/v1/audio/transcriptions', []],
    [
      '/v1/audio/transcriptions',
      [
        ['response_format', 'verbose_json'],
        ['timestamp_granularities[]', 'word'],
      ],
    ],
    ['/v1/audio/transcriptions', [['response_format', 'srt']]],
    ['/v1/audio/transcriptions', [['stream', 'true']]],
    ['/v1/audio/translations', []],
    ['/v1/audio/diarization', []],
    ['/v1/audio/classification', []],
    [
      '/v1/images/edits',
      [
        ['prompt', 'a hat'],
        ['response_format', 'b64_json'],
        ['image', { name: 'a.png', bytes: PNG }],
        ['mask', { name: 'm.png', bytes: PNG }],
      ],
    ],
  ])('answers the form of %s alike', async (path, fields) => {
    const file = path.includes('images') ? [] : [FILE]
    const [direct, forwarded] = [
      await sendForm(far, path, [MODEL, ...file, ...fields]),
      await sendForm(near, path, [MODEL, ...file, ...fields]),
    ]
    expect([direct.status, forwarded.status, settled(forwarded.text)]).toEqual([200, 200, settled(direct.text)])
    await expectNoTemporaryFiles(near)
  })

  it('sends an edit with its mask', async () => {
    const images = far.records('m').filter(({ rpc, event }) => rpc === 'GenerateImage' && event === 'start')
    expect(images.at(-1)?.request).toMatchObject({ positivePrompt: 'a hat', src: expect.stringMatching(/\.json$/) })
  })
})

describe("a provider with OpenAI's routes", () => {
  let upstream: Upstream
  beforeAll(async () => {
    upstream = await startUpstream()
    const provider = (name: string, known_usecases: readonly string[]) =>
      near.writeModelFile(
        `${name}.yaml`,
        stringify({
          name,
          backend: 'service-proxy',
          known_usecases,
          proxy: { upstream_url: upstream.origin, upstream_model: `far-${name}`, api: 'openai' },
        }),
      )
    await provider('voice', ['tts', 'sound_generation'])
    await provider('ears', ['transcript', 'vad'])
    await provider('painter', ['image'])
    await near.model('here', {}, EVERYTHING)
    await near.writeModelFile(
      'group.yaml',
      stringify({
        name: 'group',
        known_usecases: ['tts', 'transcript', 'image', 'vad'],
        failover: { targets: [{ model: 'anywhere' }, { model: 'here' }] },
      }),
    )
    await provider('anywhere', ['tts', 'transcript', 'image', 'vad'])
  })
  beforeEach(() => {
    upstream.replyWith({ status: 404, body: '{"error":{"message":"Invalid URL (POST /v1/x)"}}' })
  })
  afterAll(() => upstream?.close())

  const json = (body: unknown, status = 200): UpstreamScript => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const asked = () => upstream.requests.at(-1)
  const askedForm = async () => {
    const request = asked()
    const type = request?.header('content-type')[0] ?? ''
    const form = await new Response(new Uint8Array(request?.body ?? []), {
      headers: { 'content-type': type },
    }).formData()
    return [...form].map(([name, value]) => [name, typeof value === 'string' ? value : `${value.name} ${value.type}`])
  }
  const refusal = json({ error: { message: "Unknown parameter: 'response_format'.", param: 'response_format' } }, 400)

  it('speaks, whole and streamed', async () => {
    upstream.replyWith({ headers: { 'content-type': 'audio/wav' }, body: makeWav(0.5, 24_000) })
    const whole = await client.audio.speech.create({
      model: 'voice',
      voice: 'nova',
      input: 'Hi',
      response_format: 'wav',
      speed: 1.25,
    })
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(makeWav(0.5, 24_000))
    expect(asked()?.path).toBe('/v1/audio/speech')
    expect(JSON.parse(asked()?.text() ?? '')).toEqual({
      ...{ model: 'far-voice', input: 'Hi', voice: 'nova', response_format: 'wav', speed: 1.25 },
    })
    const streamed = await near.post('/v1/audio/speech', {
      model: 'voice',
      input: 'Hi',
      response_format: 'pcm',
      stream: true,
    })
    expect(streamed.status).toBe(200)
    expect(JSON.parse(asked()?.text() ?? '')).toMatchObject({ voice: 'alloy' })
  })

  it('transcribes, with words where the model gives them', async () => {
    const words = [{ word: 'hi', start: 0, end: 0.5 }]
    upstream.replyWith(
      json({
        text: 'hi',
        language: 'english',
        duration: 1,
        segments: [{ id: 0, start: 0, end: 1, text: 'hi' }],
        words,
      }),
    )
    const file = () => toFile(makeWav(1), 'talk.wav')
    const ask = { model: 'ears', response_format: 'verbose_json' as const, timestamp_granularities: ['word' as const] }
    const verbose = await client.audio.transcriptions.create({ ...ask, file: await file(), language: 'de' })
    expect(verbose).toMatchObject({ text: 'hi', words: [{ word: 'hi', start: 0, end: 0.5 }] })
    expect(await askedForm()).toEqual([
      ['model', 'far-ears'],
      ['file', expect.stringMatching(/\.wav application\/octet-stream$/)],
      ['response_format', 'verbose_json'],
      ['language', 'de'],
      ['timestamp_granularities[]', 'word'],
    ])
    await client.audio.translations.create({ model: 'ears', file: await file() })
    expect(asked()?.path).toBe('/v1/audio/translations')
  })

  it('transcribes with models that give plain text alone, and remembers them', async () => {
    const file = () => toFile(makeWav(1), 'talk.wav')
    await near.writeModelFile(
      'newer.yaml',
      stringify({
        ...{ name: 'newer', backend: 'service-proxy', known_usecases: ['transcript'] },
        proxy: { upstream_url: upstream.origin, api: 'openai' },
      }),
    )
    const before = upstream.requests.length
    upstream.enqueue(refusal)
    upstream.replyWith(json({ text: 'hello' }))
    expect(await client.audio.transcriptions.create({ model: 'newer', file: await file() })).toMatchObject({
      text: 'hello',
    })
    expect((await askedForm()).filter(([name]) => name === 'response_format')).toEqual([['response_format', 'json']])
    await client.audio.transcriptions.create({ model: 'newer', file: await file() })
    expect(upstream.requests.length - before).toBe(3)
    const events = [
      { type: 'transcript.text.delta', delta: 'hel' },
      { type: 'transcript.text.done', text: 'hello' },
    ]
    upstream.replyWith({
      headers: { 'content-type': 'text/event-stream' },
      body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
    })
    const stream = await client.audio.transcriptions.create({ model: 'newer', file: await file(), stream: true })
    const types: string[] = []
    for await (const event of stream) types.push(event.type)
    expect(types).toEqual(['transcript.text.delta', 'transcript.text.done'])
    upstream.replyWith(json({ text: 'all at once' }))
    const whole = await client.audio.transcriptions.create({ model: 'newer', file: await file(), stream: true })
    const texts: string[] = []
    for await (const event of whole) if (event.type === 'transcript.text.done') texts.push(event.text)
    expect(texts).toEqual(['all at once'])
  })

  it('draws, and changes images', async () => {
    upstream.enqueue(refusal)
    upstream.replyWith(json({ created: 1, data: [{ b64_json: png }] }))
    const drawn = await client.images.generate({
      model: 'painter',
      prompt: 'a cat|a dog',
      size: '1024x1024',
      response_format: 'b64_json',
    })
    expect(drawn.data?.[0]?.b64_json).toBe(png)
    expect(JSON.parse(asked()?.text() ?? '')).toEqual({
      model: 'far-painter',
      prompt: 'a cat',
      n: 1,
      size: '1024x1024',
    })
    const [image, mask] = [await toFile(PNG, 'cat.png'), await toFile(PNG, 'hat.png')]
    await client.images.edit({ model: 'painter', prompt: 'a hat', image, mask, size: '256x256' })
    expect(asked()?.path).toBe('/v1/images/edits')
    expect(await askedForm()).toEqual([
      ['model', 'far-painter'],
      ['prompt', 'a hat'],
      ['n', '1'],
      ['size', '256x256'],
      ['image', 'image-0.png image/png'],
      ['mask', 'mask.png image/png'],
    ])
  })

  it('is not asked for what it has no route for', async () => {
    const before = upstream.requests.length
    const reply = await near.post('/v1/vad', { model: 'ears', audio: [0, 0] })
    expect([reply.status, reply.text]).toEqual([501, expect.stringContaining('voice activity detection')])
    expect((await near.post('/v1/sound-generation', { model_id: 'voice', text: 'rain' })).status).toBe(501)
    expect(upstream.requests.length).toBe(before)
  })

  it('hands over to the next target of its group', async () => {
    const speak = () => near.post('/v1/audio/speech', { model: 'group', input: 'Hi', response_format: 'wav' })
    const served = (reply: Awaited<ReturnType<typeof speak>>) => [reply.status, reply.headers['served-model']]
    // It has no such route, and is not down for it.
    expect(served(await near.post('/v1/vad', { model: 'group', audio: [0, 0.5] }))).toEqual([200, 'here'])
    upstream.enqueue({ headers: { 'content-type': 'audio/wav' }, body: makeWav(0.5) })
    expect(served(await speak())).toEqual([200, 'anywhere'])
    upstream.replyWith({ status: 503 })
    expect(served(await sendForm(near, '/v1/audio/transcriptions', [['model', 'group'], FILE]))).toEqual([200, 'here'])
    const after = upstream.requests.length
    expect(served(await speak())).toEqual([200, 'here'])
    expect(served(await near.post('/v1/images/generations', { model: 'group', prompt: 'x' }))).toEqual([200, 'here'])
    expect(upstream.requests.length).toBe(after)
    await expectNoTemporaryFiles(near)
  })
})
