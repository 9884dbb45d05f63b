import { writeFile } from 'node:fs/promises'
import { StatusResponse_State, type TranscriptRequest } from '@svc/backend-client/proto'
import { whisperBytes } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeWav } from './audio.ts'
import { startBackend, type TestBackend } from './backend.ts'

let backend: TestBackend
let short: string
let long: string
beforeAll(async () => {
  backend = await startBackend()
  const { dir } = backend
  await writeFile(dir.join('tiny.bin'), whisperBytes())
  await writeFile(dir.join('many.bin'), whisperBytes({ isMultilingual: true }))
  short = dir.join('short.wav')
  long = dir.join('long.wav')
  await writeFile(short, makeWav(3))
  await writeFile(long, makeWav(65, [24, 50]))
})
afterAll(() => backend[Symbol.asyncDispose]())

const SECOND = 1_000_000_000n

async function stream(request: Partial<TranscriptRequest>) {
  const deltas: string[] = []
  for await (const { delta, finalResult } of backend.client.audioTranscriptionStream(request)) {
    if (finalResult !== undefined) return { deltas, result: finalResult }
    deltas.push(delta)
  }
  throw new Error('the stream has no result')
}

describe('a file for English', () => {
  beforeAll(() => backend.load('tiny.bin'))

  it('says what it can do', async () => {
    expect((await backend.client.status({})).state).toBe(StatusResponse_State.READY)
    const { rpcs, backend: name, slotCount } = await backend.client.extensions.capabilities({})
    expect([name, slotCount]).toEqual(['speech', 1])
    expect(rpcs).toEqual(expect.arrayContaining(['AudioTranscription', 'AudioTranscriptionStream', 'LoadModel']))
    expect(rpcs).not.toEqual(expect.arrayContaining(['TTS']))
  })

  it('writes down a recording, with its length and places in nanoseconds', async () => {
    const { text, language, duration, segments } = await backend.client.audioTranscription({ dst: short })
    expect([language, duration]).toEqual(['en', 3])
    expect(text).toMatch(/^w\w+/)
    expect(segments.map((segment) => segment.text).join(' ')).toBe(text)
    expect(segments.map(({ id }) => id)).toEqual(segments.map((_, index) => index))
    for (const { start, end } of segments) {
      expect(start >= 0n && start <= end && end <= 3n * SECOND).toBe(true)
    }
    expect(segments.at(-1)?.end).toBeGreaterThan(SECOND)
    expect(segments.flatMap(({ words }) => words)).toEqual([])
  })

  it('gives words in their order where they are asked for', async () => {
    const { segments } = await backend.client.audioTranscription({ dst: short, timestampGranularities: ['word'] })
    expect(segments.length).toBeGreaterThan(0)
    for (const { words, text } of segments) expect(words.map((word) => word.text).join(' ')).toBe(text)
    const places = segments.flatMap(({ words }) => words.flatMap(({ start, end }) => [start, end]))
    expect(places).toEqual([...places].sort((one, other) => Number(one - other)))
  })

  it('streams what the whole transcript says, window by window', async () => {
    const { deltas, result } = await stream({ dst: long })
    expect(deltas.length).toBeGreaterThan(2)
    expect(deltas.join('')).toBe(result.text)
    expect(result.duration).toBe(65)
    const starts = result.segments.map(({ start }) => Number(start / SECOND))
    expect(starts).toEqual([...starts].sort((one, other) => one - other))
    for (const [from, to] of [
      [0, 24],
      [24, 50],
      [50, 65],
    ] as const) {
      expect(starts.some((start) => start >= from && start < to)).toBe(true)
    }
  })

  it('takes a prompt and a temperature', async () => {
    const asked = { dst: short, prompt: 'Kubernetes, etcd', temperature: 0.4, language: 'EN' }
    expect((await backend.client.audioTranscription(asked)).language).toBe('en')
  })

  it('hears nothing in silence and in a file without samples', async () => {
    const silent = backend.dir.join('silent.wav')
    for (const seconds of [0, 40]) {
      await writeFile(
        silent,
        makeWav(
          seconds,
          Array.from({ length: 80 }, (_, index) => index / 2),
        ),
      )
      const { text, segments, duration } = await backend.client.audioTranscription({ dst: silent })
      expect({ text, segments, duration }).toEqual({ text: '', segments: [], duration: seconds })
    }
  })

  it.each<[string, () => Partial<TranscriptRequest>, string, string]>([
    ['an unknown language', () => ({ dst: short, language: 'tlh' }), 'invalid_request', '"tlh", only en'],
    ['a translation of English', () => ({ dst: short, translate: true }), 'invalid_request', 'nothing to translate'],
    ['a temperature above 1', () => ({ dst: short, temperature: 2 }), 'invalid_request', 'temperature must be 0 to 1'],
    ['a missing file', () => ({ dst: backend.dir.join('none') }), 'invalid_request', 'the audio file cannot be read'],
    [
      'a model as audio',
      () => ({ dst: backend.dir.join('tiny.bin') }),
      'unsupported_media',
      'not audio of a known type',
    ],
    ['another model', () => ({ dst: short, ModelIdentity: 'other' }), 'not_found', 'identity mismatch'],
  ])('refuses %s', async (_name, request, kind, message) => {
    const refusal = { kind, message: expect.stringContaining(message) }
    await expect(backend.client.audioTranscription(request())).rejects.toMatchObject(refusal)
    await expect(stream(request())).rejects.toMatchObject(refusal)
    // no engine was lost
    expect((await backend.client.audioTranscription({ dst: short })).text).not.toBe('')
  })
})

describe('a file for many languages', () => {
  beforeAll(() => backend.load('many.bin', { Options: ['spare:off', 'audio_ctx:768'] }))

  it('takes each, and translates', async () => {
    const { client } = backend
    expect((await client.audioTranscription({ dst: short, language: 'de' })).language).toBe('de')
    expect((await client.audioTranscription({ dst: short, language: 'de', translate: true })).language).toBe('de')
    await expect(client.audioTranscription({ dst: short, language: 'yue' })).rejects.toMatchObject({
      message: expect.stringMatching(/"yue", only af, am, .*, yo, zh$/),
    })
  })

  it('detects the language', async () => {
    const { language } = await backend.client.audioTranscription({ dst: short })
    expect(language).toMatch(/^[a-z]{2,3}$/)
  })

  it('has no spare process where none is wanted', () => {
    expect(backend.findEngines()).toHaveLength(1)
  })
})
