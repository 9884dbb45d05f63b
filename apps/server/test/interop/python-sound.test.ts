import { describe, expect, it } from 'vitest'
import { sseData } from '../support/server.ts'
import { encodeForm } from '../support/sound.ts'
import { findPython, titled } from './python.ts'
import { startInteropServer } from './world.ts'

const python = findPython()
const path = python.missing === undefined ? python.path : ''
const RATE = 22_050

async function start() {
  const server = await startInteropServer(path)
  await server.words('m', [], { known_usecases: ['tts', 'transcript'] })
  const ask = async (to: string, body: Buffer | string, headers: Record<string, string>) => {
    const reply = await fetch(`${server.url}${to}`, { method: 'POST', body, headers })
    return { status: reply.status, bytes: Buffer.from(await reply.arrayBuffer()) }
  }
  return {
    speak: (extra: object = {}) =>
      ask('/v1/audio/speech', JSON.stringify({ model: 'm', input: 'a bbb cc', ...extra }), {
        'content-type': 'application/json',
      }),
    transcribe: (bytes: Buffer, extra: readonly (readonly [string, string])[] = []) => {
      const form = encodeForm([['model', 'm'], ['file', { name: 'a.wav', bytes }], ...extra])
      return ask('/v1/audio/transcriptions', form.body, form.headers)
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** The samples of a WAV file with a plain header. */
function readSamples(wav: Buffer): Int16Array {
  expect(wav.toString('latin1', 0, 4)).toBe('RIFF')
  expect([wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)]).toEqual([1, RATE, 16])
  return new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length))
}

describe.skipIf(python.missing)(titled('a Python backend behind the audio routes', python), () => {
  it('speaks words of known samples, whole and live, and hears them again', async () => {
    await using server = await start()
    const spoken = [1, 3, 2].flatMap((letters) => Array<number>(RATE / 10).fill(letters * 2000))
    const whole = await server.speak()
    expect([...readSamples(whole.bytes)]).toEqual(spoken)
    const live = await server.speak({ stream: true })
    expect([...readSamples(live.bytes)]).toEqual(spoken)
    const heard = await server.transcribe(whole.bytes, [['response_format', 'srt']])
    expect(heard.bytes.toString()).toBe(`1\n00:00:00,000 --> 00:00:00,300\n${spoken.length}\n\n`)
    const streamed = await server.transcribe(whole.bytes, [['stream', 'true']])
    expect(sseData(streamed.bytes.toString())).toMatchObject([
      { type: 'transcript.text.delta', delta: `${spoken.length}` },
      { type: 'transcript.text.done', text: `${spoken.length}`, language: 'en' },
      '[DONE]',
    ])
  })
})
