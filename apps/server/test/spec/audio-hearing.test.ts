import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import type { MockRule } from '@svc/backend-mock/script'
import { eventually } from '@svc/test-kit'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { sseData, startTestServer, type TestServer } from '../support/server.ts'
import { encodeForm, expectNoTemporaryFiles, type FormField, makeWav, sendForm } from '../support/sound.ts'
import { verifies } from './verifies.ts'

const TEXT = 'This is a mocked transcription.'
const TRANSCRIPTIONS = '/v1/audio/transcriptions'
const KEYS = { known_usecases: ['transcript', 'vad', 'diarization', 'sound_classification'] }
const WAV = makeWav(2)
const FILE: FormField = ['file', { name: 'talk.wav', bytes: WAV }]
const RECORDED = 'AudioTranscription'

let server: TestServer
let client: OpenAI

beforeAll(async () => {
  server = await startTestServer({ flags: ['--enable-tracing'] })
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'k', maxRetries: 0 })
  await server.model('m', {}, KEYS)
  const models: Readonly<Record<string, readonly MockRule[]>> = {
    'fails-late': [
      { rpc: 'AudioTranscriptionStream', do: { failure: { status: 'INTERNAL', message: 'no more', afterPieces: 2 } } },
    ],
    fails: [{ do: { failure: { status: 'INTERNAL', message: 'cannot open /srv/secret/weights.bin' } } }],
    refuses: [{ do: { failure: { status: 'INVALID_ARGUMENT', message: 'bad sound' } } }],
    hangs: [{ rpc: RECORDED, call: 1, do: { hang: true } }],
    'hangs-late': [{ rpc: 'AudioTranscriptionStream', call: 1, do: { hang: 2 } }],
    odd: [{ rpc: 'VAD', do: { answer: { segments: [{ start: -1, end: 0.5 }] } } }],
  }
  for (const [name, rules] of Object.entries(models))
    await server.model(name, { rules }, { ...KEYS, max_concurrent: 1 })
  const without = ['AudioTranscription', 'AudioTranscriptionStream', 'VAD', 'Diarize', 'SoundDetection']
  await server.model('deaf', { without }, KEYS)
  await server.model('whole', { without: ['AudioTranscriptionStream'] }, KEYS)
  await server.writeModelFile('whisper-1.yaml', stringify({ name: 'whisper-1', alias: 'm' }))
})
afterAll(() => server[Symbol.asyncDispose]())

const upload = () => toFile(WAV, 'talk.wav')

/** Gives the last request of a call that the backend of a model got. */
function lastAsked(model: string, rpc = RECORDED): Record<string, unknown> {
  const asked = server.records(model).filter((record) => record.rpc === rpc && record.event === 'start')
  return asked.at(-1)?.request as Record<string, unknown>
}

describe('the official client', () => {
  verifies('inference:route:transcriptions', 'gets a transcript', async () => {
    const { text } = await client.audio.transcriptions.create({ file: await upload(), model: 'whisper-1' })
    expect(text).toBe(TEXT)
    expect(lastAsked('m')).toMatchObject({ language: '', translate: false, diarize: true, ModelIdentity: 'm.bin' })
    await expectNoTemporaryFiles(server)
  })

  it('gets each form of it', async () => {
    const ask = async (response_format: 'json' | 'text' | 'srt' | 'vtt') =>
      client.audio.transcriptions.create({ file: await upload(), model: 'm', response_format })
    expect(await ask('json')).toMatchObject({ text: TEXT, language: 'en', duration: 2 })
    expect(await ask('text')).toBe(`${TEXT}\n`)
    expect(await ask('srt')).toBe(`1\n00:00:00,000 --> 00:00:02,000\n${TEXT}\n\n`)
    expect(await ask('vtt')).toBe(`WEBVTT\n\n00:00:00.000 --> 00:00:02.000\n${TEXT}\n\n`)
    const verbose = await client.audio.transcriptions.create({
      file: await upload(),
      model: 'm',
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
      language: 'German',
      prompt: 'names: Ada',
      temperature: 0.5,
    })
    expect(verbose).toMatchObject({ task: 'transcribe', duration: 2, language: 'de' })
    expect(verbose.words?.[0]).toEqual({ word: 'This', text: 'This', start: 0, end: 0.4 })
    expect(verbose.segments?.[0]).toMatchObject({ id: 0, start: 0, end: 2, seek: 0, temperature: 0.5 })
    expect(lastAsked('m')).toMatchObject({
      language: 'de',
      prompt: 'names: Ada',
      temperature: 0.5,
      timestampGranularities: ['word', 'segment'],
    })
    const parts = await client.audio.transcriptions.create({
      file: await upload(),
      model: 'm',
      response_format: 'diarized_json',
      chunking_strategy: 'auto',
      known_speaker_names: ['Ada'],
    })
    const segments = [{ id: 'seg_0', speaker: 'SPEAKER_00', start: 0, end: 2, text: TEXT }]
    expect(parts).toMatchObject({ segments })
  })

  verifies('transcriptions:stream:events', 'gets a transcript while it is heard', async () => {
    const stream = await client.audio.transcriptions.create({ file: await upload(), model: 'm', stream: true })
    const events: { type: string; delta?: string; text?: string }[] = []
    for await (const event of stream) events.push(event)
    const deltas = events.filter(({ type }) => type === 'transcript.text.delta')
    expect(deltas.length).toBeGreaterThan(1)
    expect(deltas.map(({ delta }) => delta).join('')).toBe(TEXT)
    expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done', text: TEXT, language: 'en', duration: 2 })
    await expectNoTemporaryFiles(server)
  })

  verifies('inference:route:translations', 'gets a translation', async () => {
    const reply = await client.audio.translations.create({ file: await upload(), model: 'm' })
    expect(reply.text).toBe(TEXT)
    expect(lastAsked('m')).toMatchObject({ translate: true })
    const verbose = await client.audio.translations.create({
      file: await upload(),
      model: 'm',
      response_format: 'verbose_json',
    })
    expect(verbose).toMatchObject({ task: 'translate', text: TEXT })
  })
})

describe('a form', () => {
  it('may have its fields in any order, and fields that nobody knows', async () => {
    const fields: FormField[] = [FILE, ['model', 'm'], ['include[]', 'logprobs'], ['known', '1']]
    for (const one of [fields, [...fields].reverse()]) {
      expect((await sendForm(server, '/audio/transcriptions', one)).json()).toMatchObject({ text: TEXT })
    }
    const bare = await sendForm(server, TRANSCRIPTIONS, [['model', 'm'], ['timestamp_granularities', 'word'], FILE])
    expect(bare.status).toBe(200)
    expect(lastAsked('m')).toMatchObject({ timestampGranularities: ['word'] })
  })

  verifies('transcriptions:error:no-file', 'without a file is refused', async () => {
    const reply = await sendForm(server, TRANSCRIPTIONS, [['model', 'm']])
    expect([reply.status, reply.json()]).toMatchObject([
      400,
      { error: { param: 'file', message: expect.stringContaining('file is required') } },
    ])
    const text = await sendForm(server, TRANSCRIPTIONS, [
      ['model', 'm'],
      ['file', 'RIFF'],
    ])
    expect(text.status).toBe(400)
  })

  it.each<[string, string, number, string]>([
    ['an unknown form of the reply', 'response_format=xml', 400, 'response_format'],
    ['an unknown language', 'language=klingon', 400, 'language'],
    ['a temperature in words', 'temperature=hot', 400, 'temperature'],
    ['a temperature above 1', 'temperature=1.5', 400, 'temperature'],
    ['a temperature below 0', 'temperature=-0.1', 400, 'temperature'],
    ['an endless temperature', 'temperature=1e999', 400, 'temperature'],
    ['a stream that is neither true nor false', 'stream=perhaps', 400, 'stream'],
    ['an unknown granularity', 'timestamp_granularities[]=page', 400, 'timestamp_granularities'],
    ['an unknown model', 'model=nobody', 404, 'model'],
  ])('with %s is refused', async (_name, field, status, param) => {
    const [name = '', value = ''] = field.split('=')
    const model: FormField[] = name === 'model' ? [] : [['model', 'm']]
    const reply = await sendForm(server, TRANSCRIPTIONS, [...model, FILE, [name, value]])
    expect([reply.status, reply.json()]).toMatchObject([status, { error: { param } }])
    await expectNoTemporaryFiles(server)
  })

  const text = (content: string) => Buffer.from(content)
  verifies('transcriptions:error:no-sound', 'with a file that is no sound is refused', async () => {
    const files: Readonly<Record<string, Uint8Array>> = {
      text: text('Hello there'),
      playlist: text('#EXTM3U\n#EXTINF:1\nfile:///etc/passwd\n'),
      'other playlist': text('ffconcat version 1.0\nfile /etc/passwd\n'),
      drawing: text('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      archive: text('PK\u0003\u0004 and more'),
      image: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
      zeros: Buffer.alloc(1000),
      json: text('{"a":1}'),
    }
    for (const [name, bytes] of Object.entries(files)) {
      for (const path of [TRANSCRIPTIONS, '/v1/audio/translations', '/v1/audio/diarization']) {
        const reply = await sendForm(server, path, [
          ['model', 'm'],
          ['file', { name: 'a.wav', bytes }],
        ])
        expect([name, reply.status, reply.json()]).toMatchObject([
          name,
          415,
          { error: { param: 'file', message: expect.stringContaining('known types: wav, mp3') } },
        ])
      }
    }
    const empty = await sendForm(server, TRANSCRIPTIONS, [
      ['model', 'm'],
      ['file', { name: 'a.wav', bytes: text('') }],
    ])
    expect([empty.status, empty.text]).toEqual([400, expect.stringContaining('file is empty')])
    await expectNoTemporaryFiles(server)
  })

  it('is read by the backend from a private file whose name ends as its type does', async () => {
    const flac = Buffer.concat([Buffer.from('fLaC\0\0\0\u0022', 'latin1'), Buffer.alloc(64)])
    await sendForm(server, TRANSCRIPTIONS, [
      ['model', 'm'],
      ['file', { name: '../../evil.wav', bytes: flac }],
    ])
    const { dst } = lastAsked('m') as { dst: string }
    expect(dst).toMatch(/\/data\/tmp\/forms\/[0-9a-f-]{36}\.flac$/)
    await expectNoTemporaryFiles(server)
    await expect(readFile(dst)).rejects.toThrow('ENOENT')
  })
})

describe('a backend that fails', () => {
  const ask = (model: string, extra: readonly FormField[] = [], path = TRANSCRIPTIONS) =>
    sendForm(server, path, [['model', model], FILE, ...extra])

  it.each([
    ['fails', 500, 'prediction failed: cannot open weights.bin'],
    ['refuses', 400, 'bad sound'],
  ])('%s: the client gets a status', async (model, status, message) => {
    for (const stream of ['false', 'true']) {
      const reply = await ask(model, [['stream', stream]])
      expect([reply.status, reply.json()]).toMatchObject([status, { error: { message } }])
    }
    await expectNoTemporaryFiles(server)
  })

  verifies('audio:backend:unimplemented', 'because it cannot do it answers 501', async () => {
    const paths = [TRANSCRIPTIONS, '/v1/audio/translations', '/v1/audio/diarization', '/v1/audio/classification']
    for (const path of paths) expect([path, (await ask('deaf', [], path)).status]).toEqual([path, 501])
    expect((await server.post('/v1/audio/vad', { model: 'deaf', audio: [0] })).status).toBe(501)
  })

  verifies('transcriptions:stream:unsupported', 'to stream answers 501: no stream is faked', async () => {
    const reply = await ask('whole', [['stream', 'true']])
    expect([reply.status, reply.json()]).toMatchObject([
      501,
      { error: { message: expect.stringContaining('cannot stream') } },
    ])
    expect((await ask('whole')).status).toBe(200)
  })

  verifies('transcriptions:stream:error', 'in the middle of a stream ends it with an error event', async () => {
    const reply = await ask('fails-late', [['stream', 'true']])
    const events = sseData(reply.text)
    expect(reply.status).toBe(200)
    expect(events.slice(0, 2)).toMatchObject([{ type: 'transcript.text.delta' }, { type: 'transcript.text.delta' }])
    expect(events.slice(2)).toEqual([
      { type: 'error', error: { message: expect.stringContaining('no more'), type: 'server_error' } },
      '[DONE]',
    ])
    const stream = await client.audio.transcriptions.create({ file: await upload(), model: 'fails-late', stream: true })
    const readAll = async () => {
      for await (const _ of stream);
    }
    await expect(readAll()).rejects.toThrow('no more')
    await expectNoTemporaryFiles(server)
  })

  it.each([
    ['hangs', 'false'],
    ['hangs-late', 'true'],
  ])('%s: a client that leaves frees its slot, and leaves nothing', async (model, stream) => {
    const form = encodeForm([['model', model], ['stream', stream], FILE])
    const { hostname, port } = new URL(server.url)
    const outgoing = request({ hostname, port, path: TRANSCRIPTIONS, method: 'POST', headers: form.headers })
    outgoing.on('error', () => undefined)
    outgoing.end(form.body)
    const events = (event: string) =>
      server.records(model).filter((record) => record.rpc.startsWith(RECORDED) && record.event === event).length
    await eventually(() => expect(events('start')).toBe(1))
    outgoing.destroy()
    await eventually(() => expect(events('cancel')).toBe(1))
    await expectNoTemporaryFiles(server)
    await eventually(async () => expect((await ask(model, [['stream', stream]])).status).toBe(200))
  })
})

describe('other routes that hear', () => {
  verifies(['inference:route:audio-vad', 'inference:route:vad'], 'find speech in samples', async () => {
    const quiet = Array<number>(1600).fill(0)
    const loud = Array<number>(1600).fill(0.5)
    for (const path of ['/v1/audio/vad', '/vad', '/v1/vad']) {
      const reply = await server.post(path, { model: 'm', audio: [...quiet, ...loud, ...quiet] })
      expect([path, reply.json()]).toEqual([path, { segments: [{ start: 0.1, end: 0.2 }] }])
    }
  })

  verifies('vad:segments:open', 'end speech that is still open with the samples', async () => {
    const loud = Array<number>(3200).fill(0.5)
    const ask = async (model: string, audio: unknown) => (await server.post('/v1/audio/vad', { model, audio })).json()
    expect(await ask('m', loud)).toEqual({ segments: [{ start: 0, end: 0.2 }] })
    expect(await ask('m', [0])).toEqual({ segments: [] })
    expect(await ask('odd', [0])).toEqual({ segments: [{ start: 0, end: 0.5 }] })
  })

  it('leave no samples in traces', async () => {
    expect((await server.post('/v1/audio/vad', { model: 'm', audio: [0.1234567, 0] })).status).toBe(200)
    const list = (await server.call('/api/traces')).json() as { id: string; request: { path: string } }[]
    const { id } = list.find(({ request }) => request.path === '/v1/audio/vad') ?? { id: '' }
    const { request } = (await server.call(`/api/traces/${id}`)).json() as { request: { body: string } }
    expect(Buffer.from(request.body, 'base64').toString()).toBe('{"model":"m","audio":"2 samples"}')
    expect((await server.call('/api/backend-traces')).text).not.toContain('0.1234567')
  })

  it('refuse more samples than a minute and a half', async () => {
    const audio = Array(1_500_001).fill(0)
    const reply = await server.post('/v1/audio/vad', { model: 'm', audio })
    expect([reply.status, reply.json()]).toMatchObject([400, { error: { param: 'audio' } }])
  })

  it.each([[[]], ['text'], [[1, 'a']], [[null]], [[[1]]], [{}], [undefined], [[1e300]]])(
    'refuse %j in place of samples',
    async (audio) => {
      const reply = await server.post('/v1/audio/vad', { model: 'm', audio })
      expect([reply.status, reply.json()]).toMatchObject([400, { error: { param: expect.stringMatching(/^audio/) } }])
    },
  )

  verifies('inference:route:diarization', 'tell speakers apart', async () => {
    const ask = (...fields: FormField[]) => sendForm(server, '/v1/audio/diarization', [['model', 'm'], FILE, ...fields])
    const segments = [
      { id: 0, speaker: 'SPEAKER_00', label: 'SPEAKER_00', start: 0, end: 1 },
      { id: 1, speaker: 'SPEAKER_01', label: 'SPEAKER_01', start: 1, end: 2 },
    ]
    const plain = { task: 'diarize', duration: 2, language: 'en', num_speakers: 2, segments }
    expect((await ask(['include_text', 'true'])).json()).toEqual(plain)
    const verbose = await ask(['include_text', 'true'], ['response_format', 'verbose_json'], ['num_speakers', '2'])
    expect(verbose.json()).toMatchObject({
      segments: [{ text: 'words of SPEAKER_00' }, { text: 'words of SPEAKER_01' }],
      speakers: [
        { id: 'SPEAKER_00', label: 'SPEAKER_00', total_speech_duration: 1, segment_count: 1 },
        { id: 'SPEAKER_01', label: 'SPEAKER_01', total_speech_duration: 1, segment_count: 1 },
      ],
    })
    expect(lastAsked('m', 'Diarize')).toMatchObject({ numSpeakers: 2, includeText: true })
    const rttm = await ask(['response_format', 'rttm'])
    expect([rttm.headers['content-type'], rttm.text]).toEqual([
      'text/plain; charset=utf-8',
      'SPEAKER talk 1 0.000 1.000 <NA> <NA> SPEAKER_00 <NA> <NA>\nSPEAKER talk 1 1.000 1.000 <NA> <NA> SPEAKER_01 <NA> <NA>\n',
    ])
    for (const [name, value] of [
      ['response_format', 'xml'],
      ['num_speakers', '-1'],
      ['min_duration_on', 'x'],
    ] as const) {
      const refused = await ask([name, value])
      expect([refused.status, refused.json()]).toMatchObject([400, { error: { param: name } }])
    }
  })

  verifies('inference:route:classification', 'name sounds', async () => {
    const ask = (...fields: FormField[]) =>
      sendForm(server, '/v1/audio/classification', [FILE, ['model', 'whisper-1'], ...fields])
    const classes = [
      { index: 0, label: 'Speech', score: 0.9 },
      { index: 132, label: 'Music', score: 0.4 },
      { index: 494, label: 'Silence', score: 0.1 },
    ]
    expect((await ask()).json()).toEqual({ model: 'whisper-1', detections: classes })
    expect((await ask(['top_k', '1'])).json()).toMatchObject({ detections: classes.slice(0, 1) })
    expect((await ask(['threshold', '0.39'])).json()).toMatchObject({ detections: classes.slice(0, 2) })
    for (const [name, value] of [
      ['top_k', '-1'],
      ['top_k', '1.5'],
      ['threshold', '2'],
    ] as const) {
      const refused = await ask([name, value])
      expect([refused.status, refused.json()]).toMatchObject([400, { error: { param: name } }])
    }
  })
})
