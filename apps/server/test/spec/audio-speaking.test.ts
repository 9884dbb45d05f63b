import { request } from 'node:http'
import { sniffAudio } from '@svc/audio'
import type { MockRule } from '@svc/backend-mock/script'
import { eventually } from '@svc/test-kit'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { sseData, startTestServer, type TestServer } from '../support/server.ts'
import { expectNoTemporaryFiles, type FormField, makeWav, sendForm } from '../support/sound.ts'
import { verifies } from './verifies.ts'

const SPEECH = '/v1/audio/speech'
const KEYS = { known_usecases: ['tts', 'sound_generation'] }
const INPUT = 'one two three four'
/** The file that a call leaves in the place of its own. */
type MockFile = NonNullable<MockRule['do']['writes']>

/** The mock speaks a word in 0.1 s: 16,000 samples a second of two bytes. */
const SAMPLE_BYTES = 0.4 * 16_000 * 2
const WAV_BYTES = SAMPLE_BYTES + 44

let server: TestServer
let client: OpenAI

beforeAll(async () => {
  server = await startTestServer()
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'k', maxRetries: 0 })
  await server.model('m', {}, { ...KEYS, tts: { voice: 'anna.onnx' } })
  const damaged = Buffer.concat([Buffer.from('RIFF\u0024\0\0\0WAVEfmt ', 'latin1'), Buffer.alloc(40)])
  const writes: Readonly<Record<string, MockFile>> = {
    'writes-nothing': { as: 'nothing' },
    'writes-empty': { as: 'empty' },
    'writes-link': { as: 'link', to: '/etc/passwd' },
    'writes-folder': { as: 'folder' },
    'writes-text': { as: 'file', base64: Buffer.from('Hello there').toString('base64') },
    'writes-damaged': { as: 'file', base64: damaged.toString('base64') },
    'writes-mp3': { as: 'file', base64: Buffer.from('ID3\u0004\0\0\0\0\0\0', 'latin1').toString('base64') },
    'writes-too-slow': { as: 'file', base64: makeWav(0.1, 3000).toString('base64') },
    'writes-too-fast': { as: 'file', base64: makeWav(0.01, 200_000).toString('base64') },
    'writes-fast': { as: 'file', base64: makeWav(0.1, 48_000).toString('base64') },
  }
  for (const [name, file] of Object.entries(writes)) {
    await server.model(name, { rules: [{ rpc: 'TTS', do: { writes: file } }] }, KEYS)
  }
  const failure = { status: 'INTERNAL', message: 'no voice in /srv/voices/anna.onnx' } as const
  const rules: Readonly<Record<string, readonly MockRule[]>> = {
    fails: [{ do: { failure } }],
    refuses: [{ rpc: 'TTS', do: { refuse: 'unknown voice' } }],
    'fails-late': [{ rpc: 'TTSStream', do: { failure: { ...failure, afterPieces: 3 } } }],
    hangs: [{ rpc: 'TTS', call: 1, do: { hang: true } }],
    'hangs-late': [{ rpc: 'TTSStream', call: 1, do: { hang: 3 } }],
  }
  for (const [name, own] of Object.entries(rules))
    await server.model(name, { rules: own }, { ...KEYS, max_concurrent: 1 })
  await server.model('mute', { without: ['TTS', 'TTSStream', 'SoundGeneration'] }, KEYS)
  await server.model('whole', { without: ['TTSStream'] }, KEYS)
  for (const name of ['tts-1', 'eleven_text_to_sound_v2']) {
    await server.writeModelFile(`${name}.yaml`, stringify({ name, alias: 'm' }))
  }
})
afterAll(() => server[Symbol.asyncDispose]())

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
}

async function post(path: string, body: object): Promise<Answer> {
  const reply = await fetch(`${server.url}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  return { status: reply.status, headers: reply.headers, bytes: Buffer.from(await reply.arrayBuffer()) }
}

const speak = (body: object) => post(SPEECH, { model: 'm', input: INPUT, ...body })

/** Gives the last request of a call that the backend of a model got. */
function lastAsked(model: string, rpc = 'TTS'): Record<string, unknown> {
  const asked = server.records(model).filter((record) => record.rpc === rpc && record.event === 'start')
  return asked.at(-1)?.request as Record<string, unknown>
}

describe('speech', () => {
  verifies(['inference:route:speech', 'inference:route:tts'], 'is the file that the backend writes', async () => {
    for (const path of [SPEECH, '/audio/speech', '/tts']) {
      const { status, headers, bytes } = await post(path, { model: 'm', input: INPUT })
      expect([path, status, bytes.length]).toEqual([path, 200, WAV_BYTES])
      expect([headers.get('content-type'), headers.get('content-length')]).toEqual(['audio/wav', `${WAV_BYTES}`])
      expect(headers.get('content-disposition')).toBe('attachment; filename="speech.wav"')
    }
    expect(lastAsked('m')).toMatchObject({ text: INPUT, model: 'm.bin', voice: 'anna.onnx', ModelIdentity: 'm.bin' })
    await expectNoTemporaryFiles(server)
  })

  verifies('inference:route:voices', 'has voices, the one of the model file first', async () => {
    for (const path of ['/v1/voices', '/v1/audio/voices']) {
      const reply = await fetch(`${server.url}${path}?model=tts-1`)
      expect([reply.status, await reply.json()]).toEqual([
        200,
        { object: 'list', model: 'tts-1', voices: [{ id: 'anna.onnx', name: 'anna.onnx', language: null }] },
      ])
    }
    const refusals = await Promise.all(
      ['whole', 'none'].map((model) => fetch(`${server.url}/v1/voices?model=${model}`)),
    )
    expect(refusals.map(({ status }) => status)).toEqual([501, 404])
  })

  it('is read by the official client, with its voice, speed, language and instructions', async () => {
    const reply = await client.audio.speech.create({
      model: 'tts-1',
      input: INPUT,
      voice: { id: 'nova' } as never,
      response_format: 'wav',
      speed: 1.5,
      instructions: 'slowly',
    })
    expect(Buffer.from(await reply.arrayBuffer())).toHaveLength(WAV_BYTES)
    expect(lastAsked('m')).toMatchObject({ voice: 'nova', instructions: 'slowly', params: { speed: '1.5' } })
    const settings = { emotion: 'joy: a bit / more..', blend: 'happy:0.8', voice: 'voices/anna.wav' }
    await speak({ text: 'x', input: null, language: 'German', params: { ...settings, steps: 4, fast: true } })
    const params = { ...settings, steps: '4', fast: 'true' }
    expect(lastAsked('m')).toMatchObject({ text: 'x', language: 'de', params })
  })

  it('names the weights by their path where they are in the models folder', async () => {
    await server.writeModelFile('m.bin', 'weights')
    await speak({})
    expect(lastAsked('m')).toMatchObject({ model: `${server.modelsPath}/m.bin` })
  })

  verifies('speech:format:encoded', 'has the format that the client asks for', async () => {
    const types = { mp3: 'audio/mpeg', opus: 'audio/ogg', flac: 'audio/flac', wav: 'audio/wav' }
    for (const [response_format, type] of Object.entries(types)) {
      for (const sample_rate of [undefined, 24_000]) {
        const { status, headers, bytes } = await speak({ response_format, sample_rate })
        expect([response_format, status, headers.get('content-type')]).toEqual([response_format, 200, type])
        expect(sniffAudio(bytes)?.mediaType.replace(/;.*/, '')).toBe(type)
        expect(headers.get('content-disposition')).toBe(`attachment; filename="speech.${response_format}"`)
      }
    }
    const raw = await speak({ response_format: 'pcm' })
    expect([raw.headers.get('content-type'), raw.bytes.length]).toEqual(['audio/pcm', SAMPLE_BYTES])
    const fast = await speak({ response_format: 'pcm', sample_rate: 48_000 })
    expect(fast.bytes.length).toBe(SAMPLE_BYTES * 3)
    const slow = await speak({ model: 'writes-fast', response_format: 'pcm', sample_rate: 16_000 })
    expect(slow.bytes.length).toBe(0.1 * 16_000 * 2)
    await expectNoTemporaryFiles(server)
  })

  it('that needs a program which is not installed is refused before the model works', async () => {
    const { status, bytes } = await speak({ response_format: 'aac', input: 'needs a program' })
    if (status !== 200) {
      expect([status, bytes.toString()]).toEqual([415, expect.stringContaining('aac needs ffmpeg')])
      expect(JSON.stringify(server.records('m'))).not.toContain('needs a program')
    } else expect(sniffAudio(bytes)?.container).toBe('adts')
  })

  it.each<[string, object, string]>([
    ['no text', { input: undefined }, 'input'],
    ['an empty text', { input: ' ' }, 'input'],
    ['an unknown format', { response_format: 'midi' }, 'response_format'],
    ['a speed of 0', { speed: 0 }, 'speed'],
    ['a speed that is too slow', { speed: 0.2 }, 'speed'],
    ['a speed that is too fast', { speed: 4.1 }, 'speed'],
    ['an unknown language', { language: 'klingon' }, 'language'],
    ['a rate of 1', { sample_rate: 1 }, 'sample_rate'],
    ['a voice in a folder above', { voice: '../../etc/passwd' }, 'voice'],
    ['a voice at an absolute path', { voice: '/etc/passwd' }, 'voice'],
    ['a voice at an address', { voice: { id: 'file:///etc/passwd' } }, 'voice'],
    ['a setting that is an absolute path', { params: { speaker_wav: '/etc/passwd' } }, 'params.speaker_wav'],
    ['a setting in a folder above', { params: { voice: 'voices/../../x' } }, 'params.voice'],
    ['a setting at an address', { params: { audio_path: ' http://10.0.0.1/x' } }, 'params.audio_path'],
    ['a setting with a protocol', { params: { voice: 'file:x' } }, 'params.voice'],
    ['a setting on a drive', { params: { voice: 'C:\\voices\\x' } }, 'params.voice'],
    ['a setting that is a list', { params: { a: [1] } }, 'params'],
    ['an unknown form of the stream', { stream_format: 'xml' }, 'stream_format'],
  ])('with %s is refused', async (_name, body, param) => {
    const { status, bytes } = await speak(body)
    expect([status, JSON.parse(bytes.toString())]).toMatchObject([
      400,
      { error: { param: expect.stringContaining(param) } },
    ])
  })

  it('with a speed out of range is refused in the known words', async () => {
    expect((await speak({ speed: 9 })).bytes.toString()).toContain('speed: must be between 0.25 and 4')
  })
})

describe('live speech', () => {
  verifies('speech:stream:wav', 'is a WAV file without an end', async () => {
    const { status, headers, bytes } = await speak({ stream: true })
    expect([status, headers.get('content-type'), bytes.length]).toEqual([200, 'audio/wav', WAV_BYTES])
    expect([bytes.toString('latin1', 0, 4), bytes.readUInt32LE(4), bytes.readUInt32LE(40)]).toEqual([
      'RIFF',
      0xffff_ffff,
      0xffff_ffff,
    ])
    expect([bytes.readUInt32LE(24), headers.get('content-length')]).toEqual([16_000, null])
    const raw = await speak({ stream: true, response_format: 'pcm', sample_rate: 32_000 })
    expect(raw.bytes.length).toBe(SAMPLE_BYTES * 2)
    expect(sniffAudio((await speak({ stream: true, response_format: 'mp3' })).bytes)?.container).toBe('mp3')
  })

  verifies('speech:stream:events', 'comes in events with `stream_format: sse`', async () => {
    const { headers, bytes } = await speak({ stream_format: 'sse', response_format: 'pcm' })
    expect(headers.get('content-type')).toContain('text/event-stream')
    const events = sseData(bytes.toString()) as { type: string; audio?: string; usage?: object }[]
    const sound = Buffer.concat(events.map(({ audio = '' }) => Buffer.from(audio, 'base64')))
    expect([sound.length, events.at(-1)?.type]).toEqual([SAMPLE_BYTES, 'speech.audio.done'])
    expect(events.at(-1)?.usage).toEqual({ input_tokens: 0, output_tokens: 0, total_tokens: 0 })
  })

  it('of a model that cannot is 501: no stream is faked', async () => {
    const { status, bytes } = await speak({ model: 'whole', stream: true })
    expect([status, bytes.toString()]).toEqual([501, expect.stringContaining('cannot stream speech')])
    expect((await speak({ model: 'whole' })).status).toBe(200)
  })

  it('that fails before the first sound has a status; later the connection is cut, or an event tells it', async () => {
    expect((await speak({ model: 'fails', stream: true })).status).toBe(500)
    await expect(speak({ model: 'fails-late', stream: true })).rejects.toThrow()
    const events = sseData((await speak({ model: 'fails-late', stream_format: 'sse' })).bytes.toString())
    expect(events.slice(-2)).toEqual([
      { type: 'error', error: { message: expect.stringContaining('no voice in anna.onnx'), type: 'server_error' } },
      '[DONE]',
    ])
    await expectNoTemporaryFiles(server)
  })
})

describe('a backend', () => {
  verifies('speech:backend:bad-file', 'that writes no sound is a failure, and leaves no file', async () => {
    const reasons = {
      'writes-nothing': 'no file',
      'writes-empty': 'no file',
      'writes-link': 'no file',
      'writes-folder': 'no file',
      'writes-text': 'no sound',
    }
    for (const [model, reason] of Object.entries(reasons)) {
      const { status, bytes } = await speak({ model })
      expect([model, status, bytes.toString()]).toEqual([model, 500, expect.stringContaining(reason)])
      expect(bytes.toString()).not.toContain(server.folder)
    }
    for (const model of ['writes-damaged', 'writes-too-slow', 'writes-too-fast']) {
      for (const response_format of ['mp3', 'flac', 'pcm']) {
        const { status, bytes } = await speak({ model, response_format })
        expect([model, status, bytes.toString()]).toEqual([model, 500, expect.stringContaining('no usable sound')])
      }
    }
    await expectNoTemporaryFiles(server)
  })

  it('that writes another type than WAV is passed on, and not converted', async () => {
    for (const response_format of [undefined, 'mp3']) {
      const { status, headers } = await speak({ model: 'writes-mp3', response_format })
      expect([status, headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
    }
    const { status, bytes } = await speak({ model: 'writes-mp3', response_format: 'flac' })
    expect([status, bytes.toString()]).toEqual([415, expect.stringContaining('writes audio/mpeg')])
  })

  it('that fails, refuses or cannot has its status', async () => {
    const failed = await speak({ model: 'fails' })
    expect([failed.status, failed.bytes.toString()]).toEqual([500, expect.stringContaining('no voice in anna.onnx')])
    expect((await speak({ model: 'refuses' })).bytes.toString()).toContain('unknown voice')
    expect((await speak({ model: 'mute' })).status).toBe(501)
    expect((await speak({ model: 'mute', stream: true })).status).toBe(501)
    await expectNoTemporaryFiles(server)
  })

  it.each([
    ['hangs', false, 'TTS'],
    ['hangs-late', true, 'TTSStream'],
  ])('%s: a client that leaves frees its slot, and leaves nothing', async (model, stream, rpc) => {
    const { hostname, port } = new URL(server.url)
    const headers = { 'content-type': 'application/json' }
    const outgoing = request({ hostname, port, path: SPEECH, method: 'POST', headers })
    outgoing.on('error', () => undefined)
    outgoing.end(JSON.stringify({ model, input: INPUT, stream }))
    const count = (event: string) =>
      server.records(model).filter((record) => record.rpc === rpc && record.event === event).length
    await eventually(() => expect(count('start')).toBe(1))
    outgoing.destroy()
    await eventually(() => expect(count('cancel')).toBe(1))
    await expectNoTemporaryFiles(server)
    await eventually(async () => expect((await speak({ model, stream })).status).toBe(200))
  })
})

describe('the audio vendor', () => {
  const VOICE = '/v1/text-to-speech/rachel'
  verifies('inference:route:vendor-speech', 'has speech by a voice, whole and live', async () => {
    const body = { text: INPUT, model_id: 'm', language_code: 'en' }
    const settings = { voice_settings: { stability: 0.5, speed: 1.2, use_speaker_boost: true } }
    const whole = await post(VOICE, { ...body, ...settings })
    expect([whole.status, whole.headers.get('content-type'), whole.bytes.length]).toEqual([200, 'audio/wav', WAV_BYTES])
    const params = { stability: '0.5', speed: '1.2', use_speaker_boost: 'true' }
    expect(lastAsked('m')).toMatchObject({ voice: 'rachel', language: 'en', params })
    const live = await post(`${VOICE}/stream?output_format=pcm_8000`, body)
    expect([live.status, live.bytes.length]).toEqual([200, SAMPLE_BYTES / 2])
    await expectNoTemporaryFiles(server)
  })

  verifies('speech:format:vendor', 'names the sound in its own way', async () => {
    const types = {
      mp3_44100_128: 'audio/mpeg',
      mp3_22050_32: 'audio/mpeg',
      opus_48000_64: 'audio/ogg',
      wav_24000: 'audio/wav',
      pcm_16000: 'audio/pcm',
      ulaw_8000: 'audio/basic',
      alaw_8000: 'audio/x-alaw-basic',
    }
    for (const [format, type] of Object.entries(types)) {
      const { status, headers } = await post(`${VOICE}?output_format=${format}`, { text: INPUT, model_id: 'm' })
      expect([format, status, headers.get('content-type')]).toEqual([format, 200, type])
    }
    const phone = await post(`${VOICE}?output_format=ulaw_8000`, { text: INPUT, model_id: 'm' })
    expect(phone.bytes.length).toBe(0.4 * 8000)
    for (const format of ['mp3', 'midi_1', 'mp3_1_1', 'pcm_16000_64', 'mp3_44100_0', 'mp3_999999_128', '../x']) {
      const { status, bytes } = await post(`${VOICE}?output_format=${format}`, { text: INPUT, model_id: 'm' })
      expect([format, status, JSON.parse(bytes.toString())]).toMatchObject([
        format,
        400,
        { error: { param: 'output_format' }, detail: { status: 'unknown_output_format' } },
      ])
    }
  })

  verifies('inference:route:vendor-sound', 'has sounds, by the fixed name that its client sends', async () => {
    const body = {
      text: 'rain',
      model_id: 'eleven_text_to_sound_v2',
      duration_seconds: 0.25,
      prompt_influence: 0.5,
      do_sample: true,
      lyrics: 'la',
      bpm: 90,
      vocal_language: 'en',
      instrumental: false,
    }
    const { status, bytes } = await post('/v1/sound-generation', body)
    expect([status, bytes.length]).toEqual([200, 0.25 * 32_000 + 44])
    expect(lastAsked('m', 'SoundGeneration')).toMatchObject({
      text: 'rain',
      duration: 0.25,
      temperature: 0.5,
      sample: true,
      lyrics: 'la',
      bpm: 90,
      language: 'en',
      instrumental: false,
    })
    for (const settings of [
      { x: { toString: 1 } },
      { x: [1] },
      Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`x${at}`, 1])),
    ]) {
      const refused = await post('/v1/text-to-speech/m', { text: 'x', voice_settings: settings })
      expect([refused.status, refused.bytes.toString()]).toEqual([400, expect.stringContaining('voice_settings')])
    }
    for (const wrong of [{ text: '' }, { duration_seconds: 0 }, { prompt_influence: 2 }, { bpm: -1 }]) {
      const [param = ''] = Object.keys(wrong)
      const refused = await post('/v1/sound-generation', { ...body, ...wrong })
      expect([refused.status, JSON.parse(refused.bytes.toString())]).toMatchObject([400, { error: { param } }])
    }
    await expectNoTemporaryFiles(server)
  })

  it('gets errors in both forms that its clients read', async () => {
    const { status, bytes } = await post(VOICE, { text: 'x', model_id: 'nobody' })
    expect([status, JSON.parse(bytes.toString())]).toMatchObject([
      404,
      { error: { code: 'model_not_found' }, detail: { status: 'model_not_found', message: expect.any(String) } },
    ])
  })
})

describe('private text', () => {
  const MAIL = 'ada@host.example'
  verifies('pii:route:media-prompts', 'is filtered where the model file asks for it', async () => {
    const detector = { name: 'mails', backend: 'pattern', pii_detection: { builtins: ['email'] } }
    await server.writeModelFile('mails.yaml', stringify(detector))
    const known = { known_usecases: ['tts', 'sound_generation', 'transcript'] }
    const pii = { enabled: true, detectors: ['mails'] }
    await server.model('unscanned', {}, { ...known, pii })
    await server.model('scanned', {}, { ...known, pii: { ...pii, scan_media_prompts: true } })
    const file: FormField = ['file', { name: `${MAIL}.wav`, bytes: makeWav(0.1) }]
    for (const [model, expected] of [
      ['unscanned', MAIL],
      ['scanned', '[REDACTED:pattern:EMAIL]'],
    ] as const) {
      await speak({ model, input: `by ${MAIL}`, instructions: MAIL })
      expect(lastAsked(model)).toMatchObject({ text: `by ${expected}`, instructions: expected })
      await post('/v1/text-to-speech/rachel', { model_id: model, text: `by ${MAIL}` })
      expect(lastAsked(model)).toMatchObject({ text: `by ${expected}` })
      await post('/v1/sound-generation', { model_id: model, text: `by ${MAIL}`, lyrics: MAIL })
      expect(lastAsked(model, 'SoundGeneration')).toMatchObject({ text: `by ${expected}`, lyrics: expected })
      const heard = await sendForm(server, '/v1/audio/transcriptions', [['model', model], ['prompt', MAIL], file])
      expect(heard.status).toBe(200)
      expect(lastAsked(model, 'AudioTranscription')).toMatchObject({ prompt: expected })
    }
  })
})
