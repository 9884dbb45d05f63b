import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { readWav } from '@svc/audio'
import { ensureSuccess } from '@svc/backend-client'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'

const SENTENCE = 'The quick brown fox jumps over the lazy dog.'

let backend: TestBackend
beforeAll(async () => {
  backend = await startBackend()
  await writeFile(`${backend.models}/voice.json`, '{"engine": "flite"}')
  await backend.load('voice.json', { Options: ['voice_aliases:nova=kal'] })
})
afterAll(() => backend[Symbol.asyncDispose]())

const toDst = () => `${backend.models}/out.wav`

describe('TTS', () => {
  it.each([
    ['', 16_000],
    ['alloy', 16_000],
    ['kal', 8000],
    ['nova', 8000],
  ])('writes a WAV file with the voice %j', async (voice, rate) => {
    ensureSuccess(await backend.client.tts({ text: SENTENCE, dst: toDst(), voice }))
    const bytes = await readFile(toDst())
    const { header, samples } = await readWav([bytes])
    let count = 0
    for await (const piece of samples) count += piece.length
    expect(header).toMatchObject({ sampleRate: rate, channels: 1 })
    expect([bytes.readUInt32LE(40), bytes.readUInt32LE(4)]).toEqual([count * 2, bytes.length - 8])
    expect(count / rate).toBeGreaterThan(2)
    expect(count / rate).toBeLessThan(4)
  })

  it('speaks at another speed', async () => {
    const measure = async (speed: string) => {
      ensureSuccess(await backend.client.tts({ text: SENTENCE, dst: toDst(), params: { speed } }))
      return (await stat(toDst())).size
    }
    expect((await measure('0.5')) / (await measure('2'))).toBeGreaterThan(3)
  })

  it.each([
    ['an unknown voice', { voice: 'bob' }, /there is no such voice; the voices are slt, kal16, rms, awb, kal, nova/],
    ['an empty text', { text: ' ' }, /text must not be empty/],
    ['a text that it cannot speak', { text: 'привет' }, /no Latin letters/],
    ['a bad speed', { params: { speed: '9' } }, /speed must be a number of 0.25 to 4/],
    ['a relative path', { dst: 'out.wav' }, /dst must be an absolute path/],
  ])('refuses %s and leaves no file', async (_, fields, message) => {
    const dst = `${backend.models}/refused.wav`
    const asked = backend.client.tts({ text: SENTENCE, dst, ...fields })
    await expect(asked).rejects.toMatchObject({ kind: 'invalid_request', message: expect.stringMatching(message) })
    expect(await readdir(backend.models)).not.toContain('refused.wav')
  })

  it('is cancelled at once and leaves no file', async () => {
    const dst = `${backend.models}/cancelled.wav`
    const caller = new AbortController()
    const asked = backend.client.tts({ text: `${SENTENCE} `.repeat(900), dst }, { signal: caller.signal })
    await eventually(async () => expect((await stat(dst)).size).toBeGreaterThan(44))
    caller.abort()
    await expect(asked).rejects.toMatchObject({ kind: 'cancelled' })
    await eventually(async () => expect(await readdir(backend.models)).not.toContain('cancelled.wav'))
    ensureSuccess(await backend.client.tts({ text: 'Next.', dst: toDst() }))
  })
})

describe('TTSStream', () => {
  it('sends the rate first, then samples clause by clause', async () => {
    const replies = []
    for await (const reply of backend.client.ttsStream({ text: 'One sentence. And another.', voice: 'kal' })) {
      replies.push(reply)
    }
    const [head, ...pieces] = replies
    expect(JSON.parse(Buffer.from(head?.message ?? []).toString())).toEqual({ sample_rate: 8000 })
    expect(pieces).toHaveLength(2)
    for (const { audio } of pieces) expect(audio.length).toBeGreaterThan(8000)
  })

  it('refuses before the first message', async () => {
    const replies = backend.client.ttsStream({ text: SENTENCE, voice: 'bob' })
    await expect(replies.next()).rejects.toMatchObject({ kind: 'invalid_request' })
  })

  it('is ended by a reader that leaves', async () => {
    for await (const { audio } of backend.client.ttsStream({ text: `${SENTENCE} `.repeat(900) })) {
      if (audio.length > 0) break
    }
    ensureSuccess(await backend.client.tts({ text: 'Next.', dst: toDst() }))
  })
})

it('tells what it can do', async () => {
  const { rpcs } = await backend.client.extensions.capabilities({})
  expect(rpcs).toEqual(expect.arrayContaining(['TTS', 'TTSStream']))
  expect(rpcs).not.toContain('VAD')
})
