import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { encodeWavHeader } from '@svc/audio'
import { ensureSuccess } from '@svc/backend-client'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findEspeakData } from '../src/engines/sherpa/espeak-data.ts'
import { startBackend, type TestBackend } from './backend.ts'
import { TINY_VOICE_RATE, TINY_VOICE_SAMPLES, writeTinyRecogniser, writeTinyVoice } from './tiny-graphs.ts'

let backend: TestBackend
beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend[Symbol.asyncDispose]())

const place = (name: string): string => path.join(backend.models, name)

/** A WAV file of tones that change every tenth of a second. */
async function writeSound(seconds: number): Promise<string> {
  const samples = Int16Array.from({ length: seconds * 16_000 }, (_, index) =>
    Math.round(8000 * Math.sin((index / 16_000) * 2 * Math.PI * (200 + 150 * (Math.floor(index / 1600) % 9)))),
  )
  const file = place('sound.wav')
  const header = encodeWavHeader({ sampleRate: 16_000, frames: samples.length })
  await writeFile(file, Buffer.concat([header, new Uint8Array(samples.buffer)]))
  return file
}

describe('a recogniser', () => {
  beforeAll(async () => {
    await writeTinyRecogniser(place('random-ctc'))
    await backend.load('random-ctc')
  })

  it('hears words with times in order, the same each time', async () => {
    const dst = await writeSound(70)
    const request = { dst, timestampGranularities: ['word'] }
    const { text, segments, duration } = await backend.client.audioTranscription(request)
    expect(text.length).toBeGreaterThan(20)
    expect(duration).toBeCloseTo(70, 1)
    const times = segments.flatMap((segment) => segment.words.map(({ start }) => Number(start) / 1e9))
    expect(times.length).toBeGreaterThan(5)
    expect(times).toEqual([...times].sort((left, right) => left - right))
    expect(times.at(-1)).toBeGreaterThan(60)
    expect(times.at(-1)).toBeLessThanOrEqual(70)
    expect((await backend.client.audioTranscription(request)).text).toBe(text)
    let streamed = ''
    for await (const reply of backend.client.audioTranscriptionStream(request)) streamed += reply.delta
    expect(streamed).toBe(text)
  })

  it('reads audio of a few samples, and none', async () => {
    for (const seconds of [0.001, 0.05]) {
      const { duration } = await backend.client.audioTranscription({ dst: await writeSound(seconds) })
      expect(duration).toBeCloseTo(seconds, 2)
    }
  })

  it('does not translate and does not speak', async () => {
    const dst = await writeSound(1)
    await expect(backend.client.audioTranscription({ dst, translate: true })).rejects.toMatchObject({
      kind: 'invalid_request',
      message: 'this model does not translate',
    })
    await expect(backend.client.tts({ text: 'Hi', dst })).rejects.toMatchObject({ kind: 'not_implemented' })
  })
})

describe('damaged files', () => {
  it.each([
    ['an empty graph', 'model.onnx', () => Buffer.alloc(0), /model\.onnx: not an ONNX model, .*it is empty/],
    ['garbage', 'model.onnx', () => Buffer.from('garbage '.repeat(500)), /model\.onnx: not an ONNX model/],
    ['a cut graph', 'model.onnx', (bytes: Buffer) => bytes.subarray(0, 9000), /model\.onnx: not an ONNX model/],
    ['no tokens', 'tokens.txt', () => undefined, /not a model of a known type|not a model that sherpa-onnx runs/],
    ['unknown operations', 'model.onnx', rename('LogSoftmax', 'LogSoftmin'), /./],
    ['damaged tokens', 'tokens.txt', () => Buffer.from('\u0000\n\n x y z'), /./],
  ])('are refused: %s', async (_, name, damage, message) => {
    const folder = place('damaged')
    await rm(folder, { recursive: true, force: true })
    await writeTinyRecogniser(folder)
    const file = path.join(folder, name)
    const bytes = damage(await readFile(file))
    await (bytes === undefined ? rm(file) : writeFile(file, bytes))
    await expect(backend.load('damaged', { Options: ['engine:sherpa'] })).rejects.toThrow(message)
  })

  it('without metadata are refused by name', async () => {
    await writeTinyRecogniser(place('bare'), { model_type: 'EncDecCTCModelBPE', subsampling_factor: '4' })
    await expect(backend.load('bare')).rejects.toThrow(/model\.onnx: its metadata lack vocab_size/)
  })
})

/** Replaces a text by another of its length. */
function rename(from: string, to: string): (bytes: Buffer) => Buffer {
  return (bytes) => Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1')
}

const espeakData = await findEspeakData(undefined, '/').catch(() => undefined)
if (espeakData === undefined) console.log('espeak-ng-data is missing: Piper voices were not tried')

describe.skipIf(espeakData === undefined)('a Piper voice', () => {
  const countWorkFolders = async () =>
    (await readdir(tmpdir())).filter(
      (name) => name.startsWith('svc-speech-') && name.includes(`-${backend.child.pid}-`),
    ).length

  it('is spoken as published, and leaves nothing behind', async () => {
    await writeTinyVoice(place('voice.onnx'))
    await backend.load('voice.onnx')
    expect(await countWorkFolders()).toBe(1)
    const dst = place('spoken.wav')
    ensureSuccess(await backend.client.tts({ text: 'Hello there. And again.', dst, voice: 'voice' }))
    const bytes = await readFile(dst)
    expect(bytes.readUInt32LE(24)).toBe(TINY_VOICE_RATE)
    expect(bytes.length - 44).toBeGreaterThan(20 * TINY_VOICE_SAMPLES)
    await backend.client.free({})
    expect(await countWorkFolders()).toBe(0)
  })

  it('names its speakers', async () => {
    const speakers = { num_speakers: 2, speaker_id_map: { anna: 1, bert: 0 } }
    await writeTinyVoice(place('two.onnx'), speakers)
    // the graph has no input for speakers: the engine refuses it, or the call does
    const asked = backend
      .load('two.onnx')
      .then(() => backend.client.tts({ text: 'Hi', dst: place('x.wav'), voice: 'carl' }))
    await expect(asked).rejects.toThrow(/the voices are bert, anna|did not load|ended/)
  })

  it('is cancelled at once, and the next call runs', async () => {
    await backend.load('voice.onnx')
    const dst = place('long.wav')
    const caller = new AbortController()
    const asked = backend.client.tts(
      { text: 'A sentence that is spoken. '.repeat(1500), dst },
      { signal: caller.signal },
    )
    await eventually(() => expect(existsSync(dst)).toBe(true))
    caller.abort()
    await expect(asked).rejects.toMatchObject({ kind: 'cancelled' })
    await eventually(() => expect(existsSync(dst)).toBe(false))
    ensureSuccess(await backend.client.tts({ text: 'Next.', dst }))
  })

  it.each([
    ['no JSON', '{', /voice\.onnx\.json: not JSON/],
    ['an empty object', '{}', /audio\.sample_rate must be/],
    ['no voice', '{"audio":{"sample_rate":16000}}', /espeak\.voice must name/],
    ['a path as voice', '{"audio":{"sample_rate":16000},"espeak":{"voice":"../x"}}', /espeak\.voice must name/],
    ['no phonemes', '{"audio":{"sample_rate":16000},"espeak":{"voice":"en-us"}}', /phoneme_id_map is missing/],
  ])('with %s is refused', async (_, json, message) => {
    await mkdir(place('bad'), { recursive: true })
    await writeTinyVoice(place('bad/voice.onnx'))
    await writeFile(place('bad/voice.onnx.json'), json)
    await expect(backend.load('bad')).rejects.toThrow(message)
    expect(await countWorkFolders()).toBe(0)
  })
})
