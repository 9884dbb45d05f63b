import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeAudio } from '@svc/audio'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'
import { CALL_SCRIPT, chromiumPath, startCallBrowser } from '../support/chromium-call.ts'
import { createWebRtcClient } from '../support/webrtc-client.ts'

const RATE = 16_000
const QUESTION = 'Tell me a long story, please, and tell it well.'
const ANSWER = 'It is a quarter past nine in the evening.'
const STORY = Array.from({ length: 12 }, (_, at) => `This is sentence number ${at} of a long story.`).join(' ')

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

let server: BuiltServer
let speech: Buffer
beforeAll(async () => {
  server = await startBuiltServer({ env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' }, mock: { rules: [] } })
  await server.model('ear', {}, { known_usecases: ['transcript'] })
  for (const [name, text] of [
    ['talk', ANSWER],
    ['tell', STORY],
  ] as const) {
    await server.model(`${name}-brain`, { rules: [{ rpc: 'Predict*', do: { text } }] })
    const pipeline = `{ vad: demo-vad, transcription: ear, llm: ${name}-brain, tts: demo-voice }`
    await writeFile(join(server.folder, 'models', `${name}.yaml`), `name: ${name}\npipeline: ${pipeline}\n`)
  }
  const reply = await fetch(`${server.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo-voice', input: QUESTION, response_format: 'wav' }),
  })
  speech = Buffer.from(await reply.arrayBuffer())
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
})

/** Writes speech as the file of a microphone, between silence. */
async function writeMicrophone(wav: Buffer, path: string): Promise<void> {
  const rate = wav.readUInt32LE(24)
  const sound = wav.subarray(44)
  const head = Buffer.from(wav.subarray(0, 44))
  const [before, after] = [Buffer.alloc(rate * 2 * 2), Buffer.alloc(rate * 2 * 60)]
  const size = before.length + sound.length + after.length
  head.writeUInt32LE(36 + size, 4)
  head.writeUInt32LE(size, 40)
  await writeFile(path, Buffer.concat([head, before, sound, after]))
}

describe.skipIf(chromiumPath === undefined)('a spoken call of Chromium', () => {
  // verifies realtime:calls:spoken
  it('is understood and answered aloud, and is over when it hangs up', async () => {
    const microphone = join(server.folder, 'microphone.wav')
    await writeMicrophone(speech, microphone)
    const browser = await startCallBrowser(`${microphone}%noloop`)
    try {
      const page = await browser.newPage()
      await page.goto(`${server.url}/healthz`)
      await page.evaluate(CALL_SCRIPT)
      await page.evaluate(`call('/v1/realtime/calls?model=talk', {})`)
      const events = async (): Promise<Seen[]> => (await page.evaluate('events')) as Seen[]
      const types = async (): Promise<string[]> => (await events()).map(({ type }) => type)
      await eventually(async () => expect(await types()).toContain('output_audio_buffer.stopped'), { intervalMs: 200 })
      expect((await types()).filter((type) => ORDER.includes(type))).toEqual(ORDER)
      const all = await events()
      const heard = all.find(({ type }) => type === 'conversation.item.input_audio_transcription.completed')
      expect(heard?.usage?.seconds).toBeGreaterThan(1)
      expect(heard?.usage?.seconds).toBeLessThan(8)
      const done = all.find(({ type }) => type === 'response.done')
      expect(done?.response).toMatchObject({ status: 'completed', output: [{ content: [{ transcript: ANSWER }] }] })
      // Sound travels as media alone.
      expect(await types()).not.toContain('response.output_audio.delta')
      const stats = (await page.evaluate('readStats()')) as Stats
      // Over two seconds of it, loud enough to hear, none of it lost.
      expect(stats.packets).toBeGreaterThan(100)
      expect(stats.energy).toBeGreaterThan(0.05)
      expect(stats.lost).toBe(0)
      await page.evaluate('peer.close()')
      const ended = await server.logged('a call has ended')
      expect(ended).toMatchObject({ reason: expect.stringMatching(/closed|disconnected/) })
    } finally {
      await browser.close()
    }
  })
})

describe('a spoken call', () => {
  // verifies realtime:calls:interrupted
  it('falls silent when the client speaks over it, and is cut at what was heard', async () => {
    const pieces: Float32Array[] = []
    for await (const piece of decodeAudio([speech], { sampleRate: RATE })) pieces.push(piece)
    const question = Float32Array.from(pieces.flatMap((piece) => [...piece]))
    const client = await createWebRtcClient()
    const has = (type: string): boolean => client.events.some((event) => event.type === type)
    try {
      const reply = await fetch(`${server.url}/v1/realtime/calls?model=tell`, {
        method: 'POST',
        headers: { 'content-type': 'application/sdp' },
        body: client.offer,
      })
      await client.connect(await reply.text())
      const pause = (seconds: number): Promise<void> => client.speak(new Float32Array(RATE * seconds))
      await pause(1)
      await client.speak(question)
      await eventually(async () => {
        await pause(0.2)
        expect(has('output_audio_buffer.started')).toBe(true)
      })
      await pause(2)
      await client.speak(question)
      await eventually(async () => {
        await pause(0.2)
        expect(has('conversation.item.truncated')).toBe(true)
      })
      expect(has('output_audio_buffer.cleared')).toBe(true)
      const cut = client.events.find(({ type }) => type === 'conversation.item.truncated')
      // It spoke for two seconds before, and did not come to its end.
      expect(cut?.audio_end_ms).toBeGreaterThan(500)
      expect(cut?.audio_end_ms).toBeLessThan(12_000 + (question.length / RATE) * 1000)
    } finally {
      client.close()
    }
  })
})
