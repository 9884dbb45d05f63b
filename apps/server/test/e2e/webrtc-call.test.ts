import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually, tempDir } from '@svc/test-kit'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'
import { CALL_SCRIPT, chromiumName, startCallBrowser } from '../support/chromium-call.ts'

if (chromiumName === undefined) console.info('not run: Chromium is missing')

const PIPELINE = `name: talk
pipeline: { vad: demo-vad, transcription: ear, llm: brain, tts: demo-voice }
`

const ANSWER = 'It is a quarter past nine in the evening.'

/** The events of a turn that come once, in their order. */
const ORDER = [
  'session.created',
  'input_audio_buffer.speech_started',
  'input_audio_buffer.speech_stopped',
  'input_audio_buffer.committed',
  'response.created',
  'output_audio_buffer.started',
  'response.done',
  'output_audio_buffer.stopped',
]

interface Seen {
  readonly type: string
  readonly usage?: { readonly seconds: number }
  readonly response?: { readonly status: string; readonly output: readonly unknown[] }
}

interface Stats {
  readonly packets: number
  readonly energy: number
  readonly lost: number
}

/** Speech of the demo voice as the file of a microphone, between silence. */
async function makeMicrophone(server: BuiltServer, path: string): Promise<void> {
  const reply = await fetch(`${server.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo-voice', input: 'Tell me what time it is, please.', response_format: 'wav' }),
  })
  expect(reply.status).toBe(200)
  const wav = Buffer.from(await reply.arrayBuffer())
  const rate = wav.readUInt32LE(24)
  const sound = wav.subarray(44)
  const head = Buffer.from(wav.subarray(0, 44))
  const [before, after] = [Buffer.alloc(rate * 2 * 2), Buffer.alloc(rate * 2 * 60)]
  const size = before.length + sound.length + after.length
  head.writeUInt32LE(36 + size, 4)
  head.writeUInt32LE(size, 40)
  await writeFile(path, Buffer.concat([head, before, sound, after]))
}

describe.skipIf(chromiumName === undefined)('a spoken call of Chromium', () => {
  let server: BuiltServer
  let browser: Browser
  let page: Page
  let folder: Awaited<ReturnType<typeof tempDir>>
  beforeAll(async () => {
    folder = await tempDir()
    server = await startBuiltServer({ env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' }, mock: { rules: [] } })
    await server.model('ear', {}, { known_usecases: ['transcript'] })
    await server.model('brain', { rules: [{ rpc: 'Predict*', do: { text: ANSWER } }] })
    await writeFile(join(server.folder, 'models/talk.yaml'), PIPELINE)
    const wav = join(folder.path, 'microphone.wav')
    await makeMicrophone(server, wav)
    browser = await startCallBrowser(`${wav}%noloop`)
    page = await browser.newPage()
    await page.goto(`${server.url}/healthz`)
    await page.evaluate(CALL_SCRIPT)
  })
  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
    await folder?.[Symbol.asyncDispose]()
  })

  // verifies realtime:calls:spoken
  it('is understood and answered aloud, and is over when it hangs up', async () => {
    await page.evaluate(`call('/v1/realtime/calls?model=talk', {})`)
    const events = async (): Promise<Seen[]> => (await page.evaluate('events')) as Seen[]
    const types = async (): Promise<string[]> => (await events()).map(({ type }) => type)
    await eventually(async () => expect(await types()).toContain('output_audio_buffer.stopped'), { intervalMs: 200 })
    expect((await types()).filter((type) => ORDER.includes(type))).toEqual(ORDER)
    const all = await events()
    const heard = all.find(({ type }) => type === 'conversation.item.input_audio_transcription.completed')
    expect(heard?.usage?.seconds).toBeGreaterThan(1)
    expect(heard?.usage?.seconds).toBeLessThan(6)
    const done = all.find(({ type }) => type === 'response.done')
    expect(done?.response).toMatchObject({ status: 'completed', output: [{ content: [{ transcript: ANSWER }] }] })
    // Sound travels as media alone.
    expect(await types()).not.toContain('response.output_audio.delta')
    const stats = (await page.evaluate('readStats()')) as Stats
    // Over two seconds of it, loud enough to hear, none of it lost.
    expect(stats.packets).toBeGreaterThan(100)
    expect(stats.energy).toBeGreaterThan(0.05)
    expect(stats.lost).toBe(0)
    const leftAt = performance.now()
    await page.evaluate('peer.close()')
    const ended = await server.logged('a call has ended')
    expect(performance.now() - leftAt).toBeLessThan(2000)
    expect(ended).toMatchObject({ reason: expect.stringMatching(/closed|disconnected/) })
  })
})
