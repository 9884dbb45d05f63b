import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeAudio } from '@svc/audio'
import { eventually, whisperBytes } from '@svc/test-kit'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { type BuiltServer, runBuilt, startBuiltServer } from '../support/built-server.ts'
import { makeWav } from '../support/sound.ts'

let server: BuiltServer
let client: OpenAI
beforeAll(async () => {
  server = await startBuiltServer({ env: { SVC_THREADS: '1' } })
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
  const models = join(server.folder, 'models')
  await writeFile(join(models, 'ggml-tiny.bin'), whisperBytes())
  await writeFile(join(models, 'ggml-slow.bin'), whisperBytes({ state: 128, heads: 2, layers: 6 }))
  await writeFile(join(models, 'ggml-cut.bin'), whisperBytes().subarray(0, 1_000_000))
})
afterAll(() => server[Symbol.asyncDispose]())

async function writeModel(name: string, file: string, keys = 'backend: whisper'): Promise<void> {
  const text = `name: ${name}\n${keys}\nparameters:\n  model: ${file}\n`
  await writeFile(join(server.folder, 'models', `${name}.yaml`), text)
}

const upload = (seconds: number) => toFile(makeWav(seconds), 'talk.wav')

describe('a Whisper file', () => {
  verifies('model-file:backend:speech', 'each of their names starts the speech backend', async () => {
    for (const backend of ['faster-whisper', 'speech']) {
      await writeModel(backend, 'ggml-tiny.bin', `backend: ${backend}\nknown_usecases: [transcript]`)
      const transcript = await client.audio.transcriptions.create({ file: await upload(1), model: backend })
      expect(transcript).toMatchObject({ duration: 1 })
    }
    const { stdout } = await runBuilt(server.folder, ['backends', 'list'])
    const names = ['whisper', 'faster-whisper', 'sherpa-onnx', 'piper', 'kokoro', 'silero-vad', 'flite', 'speech']
    for (const name of names) expect(stdout).toMatch(new RegExp(`^${name}\\b`, 'm'))
  })

  it('answers in every form, with words and segments in seconds', async () => {
    await writeModel('tiny', 'ggml-tiny.bin')
    const file = await upload(3)
    const ask = async (response_format: 'text' | 'srt' | 'vtt') =>
      await client.audio.transcriptions.create({ file, model: 'tiny', response_format })
    expect(await ask('text')).toMatch(/^w\w+( w\w+)*\n$/)
    expect(await ask('srt')).toMatch(/^1\n00:00:0\d,\d{3} --> 00:00:0[0-3],\d{3}\nw/)
    expect(await ask('vtt')).toMatch(/^WEBVTT\n\n00:00:0\d\.\d{3} --> 00:00:0[0-3]\.\d{3}\nw/)
    const verbose = await client.audio.transcriptions.create({
      ...{ file, model: 'tiny', response_format: 'verbose_json', language: 'en' },
      timestamp_granularities: ['word', 'segment'],
    })
    expect(verbose).toMatchObject({ task: 'transcribe', language: 'en', duration: 3 })
    const { segments = [], words = [] } = verbose
    expect([segments.length > 0, words.length > 0]).toEqual([true, true])
    for (const { start, end } of [...segments, ...words]) expect(0 <= start && start <= end && end <= 3).toBe(true)
  })

  it('reads MP3 and FLAC without a program beside it', async () => {
    const pcm = makeWav(2).subarray(44)
    for (const format of ['mp3', 'flac'] as const) {
      const pieces: Uint8Array[] = []
      for await (const piece of encodeAudio([pcm], { format, inputRate: 16_000 })) pieces.push(piece)
      const file = await toFile(Buffer.concat(pieces), `talk.${format}`)
      const { duration } = await client.audio.transcriptions.create({
        ...{ file, model: 'tiny', response_format: 'verbose_json' },
      })
      expect(Math.abs(duration - 2)).toBeLessThan(0.2)
    }
  })

  it('streams the text while it is heard', async () => {
    const stream = await client.audio.transcriptions.create({ file: await upload(40), model: 'tiny', stream: true })
    const deltas: string[] = []
    let whole = ''
    for await (const event of stream) {
      if (event.type === 'transcript.text.delta') deltas.push(event.delta)
      if (event.type === 'transcript.text.done') whole = event.text
    }
    expect(deltas.length).toBeGreaterThan(1)
    expect(deltas.join('')).toBe(whole)
  })

  it('refuses a language that the model does not know', async () => {
    const asked = client.audio.transcriptions.create({ file: await upload(1), model: 'tiny', language: 'de' })
    await expect(asked).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('the model does not know the language "de", only en'),
    })
  })

  it('that is cut off fails with its fault but without its path', async () => {
    await writeModel('cut', 'ggml-cut.bin')
    const failure = await client.audio.transcriptions
      .create({ file: await upload(1), model: 'cut' })
      .catch((error: unknown) => error)
    expect(String(failure)).toContain('ggml-cut.bin: the file ends in the weights')
    expect(String(failure)).not.toContain(server.folder)
  })

  it('gives its place back when a client leaves', async () => {
    await writeModel('slow', 'ggml-slow.bin', 'backend: whisper\nmax_concurrent: 1')
    const leaving = new AbortController()
    const stream = await client.audio.transcriptions.create(
      { file: await upload(120), model: 'slow', stream: true },
      { signal: leaving.signal },
    )
    for await (const event of stream) {
      expect(event.type).toBe('transcript.text.delta')
      break
    }
    leaving.abort()
    // The rest of the two minutes would take far longer than a test may.
    await eventually(async () => {
      const next = await client.audio.transcriptions.create({ file: await upload(1), model: 'slow' })
      expect(next).toMatchObject({ duration: 1 })
    })
  })
})
