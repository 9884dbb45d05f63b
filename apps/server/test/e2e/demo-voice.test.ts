import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { decodeAudio, sniffAudio } from '@svc/audio'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltServer, runBuilt, startBuiltServer } from '../support/built-server.ts'
import { CAN_UNDERSTAND, measureWordErrors, RECOGNISER } from '../support/spoken.ts'

const RATE = 16_000
const SENTENCES = [
  'The quick brown fox jumps over the lazy dog.',
  'She walked along the beach and looked at the water.',
  'Please open the window and let in some fresh air.',
  'My brother works in a small office near the station.',
  'We need more time to finish the report before the meeting.',
]

let server: BuiltServer
let client: OpenAI
beforeAll(async () => {
  server = await startBuiltServer({ env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' } })
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
})
afterAll(() => server[Symbol.asyncDispose]())

const voice = { model: 'demo-voice', voice: 'alloy', input: SENTENCES[0] ?? '' } as const
const post = (path: string, body: unknown): Promise<Response> =>
  fetch(`${server.url}${path}`, { method: 'POST', body: JSON.stringify(body) })

async function decode(bytes: Uint8Array): Promise<Float32Array> {
  const pieces: Float32Array[] = []
  for await (const piece of decodeAudio([bytes], { sampleRate: RATE })) pieces.push(piece)
  return Float32Array.from(pieces.flatMap((piece) => [...piece]))
}

async function speak(input: string): Promise<Uint8Array> {
  const reply = await client.audio.speech.create({ ...voice, input, response_format: 'wav' })
  return new Uint8Array(await reply.arrayBuffer())
}

describe('the official client', () => {
  it('gets speech as wav', async () => {
    const seconds = (await decode(await speak(voice.input))).length / RATE
    expect(seconds).toBeGreaterThan(2)
    expect(seconds).toBeLessThan(4)
  })

  it.each([
    ['mp3', 'mp3', 'mp3'],
    ['opus', 'ogg', 'opus'],
    ['flac', 'flac', 'flac'],
  ] as const)('gets speech as %s', async (format, container, codec) => {
    const reply = await client.audio.speech.create({ ...voice, response_format: format })
    const bytes = new Uint8Array(await reply.arrayBuffer())
    expect(sniffAudio(bytes)).toMatchObject({ container, codec })
    expect(bytes.length).toBeGreaterThan(5000)
  })

  it('gets speech as pcm', async () => {
    const reply = await client.audio.speech.create({ ...voice, response_format: 'pcm' })
    const { byteLength } = await reply.arrayBuffer()
    expect(byteLength / 2 / RATE).toBeGreaterThan(2)
  })

  it('gets speech while it is made: the first sound comes before the last is spoken', async () => {
    const input = `${SENTENCES.join(' ')} `.repeat(20)
    const events = await client.audio.speech.create({ ...voice, input, stream_format: 'sse' })
    const started = performance.now()
    let first = Number.POSITIVE_INFINITY
    let text = ''
    for await (const piece of events.body ?? []) {
      first = Math.min(first, performance.now() - started)
      text += Buffer.from(piece).toString('latin1')
    }
    expect(first).toBeLessThan((performance.now() - started) / 2)
    expect(text.match(/speech\.audio\.delta/g)?.length).toBeGreaterThan(50)
    expect(text).toContain('speech.audio.done')
  })

  it('gets an error that lists the voices', async () => {
    const asked = client.audio.speech.create({ ...voice, voice: 'bob' })
    await expect(asked).rejects.toThrow(/400 there is no such voice; the voices are slt, kal16, rms, awb, kal/)
  })
})

describe('without a client', () => {
  it('speaks without a model and a voice', async () => {
    const reply = await post('/v1/audio/speech', { input: 'Hello' })
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'audio/wav'])
    expect((await decode(new Uint8Array(await reply.arrayBuffer()))).length).toBeGreaterThan(RATE / 5)
  })

  it('lists its voices', async () => {
    const reply = await fetch(`${server.url}/v1/voices`)
    const { model, voices } = (await reply.json()) as { model: string; voices: { id: string; language: string }[] }
    expect(model).toBe('demo-voice')
    expect(voices.map(({ id, language }) => `${id} ${language}`)).toEqual([
      ...['slt en', 'kal16 en', 'rms en', 'awb en', 'kal en'],
    ])
  })

  it('refuses a text that the voice cannot speak', async () => {
    const reply = await post('/v1/audio/speech', { input: 'привет' })
    expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining('no Latin letters')])
  })

  it('finds two spoken sentences in a recording', async () => {
    const speech = await decode(await speak(SENTENCES[1] ?? ''))
    const silence = Array.from({ length: RATE }, () => 0)
    const audio = [...silence, ...speech, ...silence, ...speech, ...silence]
    const reply = await post('/vad', { model: 'demo-vad', audio })
    expect(reply.status).toBe(200)
    const { segments } = (await reply.json()) as { segments: { start: number; end: number }[] }
    const length = speech.length / RATE
    expect(segments).toHaveLength(2)
    expect(Math.abs((segments[0]?.start ?? 0) - 1)).toBeLessThan(0.3)
    expect(Math.abs((segments[1]?.start ?? 0) - (2 + length))).toBeLessThan(0.3)
    expect(Math.abs((segments[1]?.end ?? 0) - (2 + 2 * length))).toBeLessThan(0.5)
  })
})

it('an independent recogniser understands more than three words of four', async () => {
  if (!CAN_UNDERSTAND) return console.log(`${RECOGNISER} is missing: the demo voice was not judged`)
  const text = SENTENCES.join(' ')
  const file = join(server.folder, 'speech.wav')
  await writeFile(file, await speak(text))
  const { stdout } = await promisify(execFile)(RECOGNISER, ['-infile', file, '-logfn', '/dev/null'])
  expect(measureWordErrors(text, stdout), stdout).toBeLessThan(0.25)
})

/** A folder of faster-whisper with a real model of English, which is not part of this repository. */
const REAL_MODEL = process.env.WHISPER_FOLDER

it.runIf(REAL_MODEL)('a real Whisper model understands the voice, once it is converted', async () => {
  await using hearing = await startBuiltServer({ env: { SVC_DEMO_MODEL: 'true' } })
  const { code, stderr } = await runBuilt(hearing.folder, ['models', 'convert', REAL_MODEL ?? '', '--name', 'real'])
  expect([code, stderr]).toEqual([0, expect.any(String)])
  const listener = new OpenAI({ baseURL: `${hearing.url}/v1`, apiKey: 'none', maxRetries: 0 })
  const text = SENTENCES.join(' ')
  for (const response_format of ['wav', 'mp3', 'opus', 'flac'] as const) {
    const spoken = await listener.audio.speech.create({ ...voice, input: text, response_format })
    const file = await toFile(Buffer.from(await spoken.arrayBuffer()), `speech.${response_format}`)
    const heard = await listener.audio.transcriptions.create({ model: 'real', file, language: 'en' })
    expect(measureWordErrors(text, heard.text), heard.text).toBeLessThan(0.25)
  }
})
