import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { readWav } from '@svc/audio'
import { ensureSuccess } from '@svc/backend-client'
import { demoModels } from '@svc/demo-models'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'

const RATE = 16_000
const weights = demoModels.find(({ name }) => name === 'demo-vad')?.file ?? ''

let backend: TestBackend
/** A spoken sentence with silence around it. */
let speech: Float32Array
beforeAll(async () => {
  backend = await startBackend()
  speech = await speak('The quick brown fox jumps over the lazy dog.')
  await copyFile(weights, `${backend.models}/vad.onnx`)
  await backend.load('vad.onnx')
})
afterAll(() => backend[Symbol.asyncDispose]())

async function speak(text: string): Promise<Float32Array> {
  await writeFile(`${backend.models}/voice.json`, '{"engine": "flite"}')
  await backend.load('voice.json')
  const dst = `${backend.models}/out.wav`
  ensureSuccess(await backend.client.tts({ text, dst }))
  const { samples } = await readWav([await readFile(dst)])
  const pieces: number[] = []
  for await (const piece of samples) pieces.push(...piece)
  return Float32Array.from(pieces)
}

const silence = (seconds: number) => new Float32Array(seconds * RATE)
const join = (...parts: readonly Float32Array[]) => parts.flatMap((part) => [...part])
const detect = async (audio: number[]) => (await backend.client.vad({ audio })).segments

describe('VAD', () => {
  it('finds two sentences among silence', async () => {
    const length = speech.length / RATE
    const segments = await detect(join(silence(1), speech, silence(1), speech, silence(1)))
    expect(segments).toHaveLength(2)
    for (const [index, { start, end }] of segments.entries()) {
      const begin = 1 + index * (length + 1)
      expect(Math.abs(start - begin)).toBeLessThan(0.3)
      expect(Math.abs(end - (begin + length))).toBeLessThan(0.5)
    }
  })

  it('leaves a sentence open that goes on at the end', async () => {
    const [segment, ...others] = await detect(join(silence(1), speech.subarray(0, speech.length / 2)))
    expect([segment?.end, others]).toEqual([0, []])
  })

  it.each([
    ['silence', () => [...silence(2)]],
    ['nothing', () => []],
    ['a single sample', () => [0.5]],
    ['a tone', () => Array.from({ length: 2 * RATE }, (_, index) => Math.sin((index * 2 * Math.PI * 440) / RATE) / 2)],
  ])('finds nothing in %s', async (_, toSamples) => {
    expect(await detect(toSamples())).toEqual([])
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses %s', async (sample) => {
    await expect(detect([0, sample])).rejects.toMatchObject({ kind: 'invalid_request' })
  })

  it('gives the same answer after a cancelled call', async () => {
    const caller = new AbortController()
    const long = join(...Array.from({ length: 100 }, () => speech))
    const asked = backend.client.vad({ audio: long }, { signal: caller.signal })
    caller.abort()
    await expect(asked).rejects.toMatchObject({ kind: 'cancelled' })
    expect(await detect(join(silence(1), speech, silence(1)))).toHaveLength(1)
  })

  it('does not speak', async () => {
    await expect(backend.client.tts({ text: 'Hello', dst: '/x.wav' })).rejects.toMatchObject({
      kind: 'not_implemented',
    })
  })
})

describe('damaged files', () => {
  it.each([
    ['empty', () => Buffer.alloc(0)],
    ['text', () => Buffer.from('this is not a graph')],
    ['zeros', () => Buffer.alloc(10_000)],
    ['cut in half', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['without its last byte', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['with more bytes', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('more')])],
    [
      'with other inputs',
      (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replaceAll('state', 'shape'), 'latin1'),
    ],
    [
      'with a damaged graph',
      (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replaceAll('LSTM', 'LSTX'), 'latin1'),
    ],
  ])('are refused: %s', async (_, damage) => {
    await writeFile(`${backend.models}/bad.onnx`, damage(await readFile(weights)))
    await expect(backend.load('bad.onnx', { Options: ['engine:silero'] })).rejects.toThrow(
      /bad\.onnx|Fatal error|graph/,
    )
  })
})
