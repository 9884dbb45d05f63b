import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { readWav } from '@svc/audio'
import { ensureSuccess } from '@svc/backend-client'
import { demoModels } from '@svc/demo-models'
import { type BackendProcess, startBackendProcess } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HEARD_RATE } from '../../src/realtime/ports.ts'
import { SERVER } from '../../src/realtime/turns/__fixtures__/turn-world.ts'
import { createTurnTaker } from '../../src/realtime/turns/turn-taker.ts'

const PIECE = HEARD_RATE / 50

let backend: BackendProcess
let ours: Float32Array
let people: { readonly rms: Float32Array; readonly awb: Float32Array }
beforeAll(async () => {
  backend = await startBackendProcess(new URL('../../../backends/speech/src/main.ts', import.meta.url))
  await writeFile(backend.dir.join('voice.json'), '{"engine": "flite"}')
  await load('voice.json')
  ours = await speak('We need more time to finish the report before the meeting, my brother says.', 'slt')
  people = {
    rms: await speak('Please stop, I would like to ask you something else.', 'rms'),
    awb: await speak('Wait a moment, what about tomorrow morning then?', 'awb'),
  }
  await copyFile(demoModels.find(({ name }) => name === 'demo-vad')?.file ?? '', backend.dir.join('vad.onnx'))
  await load('vad.onnx')
})
afterAll(() => backend[Symbol.asyncDispose]())

async function load(name: string): Promise<void> {
  const { client, dir } = backend
  ensureSuccess(await client.loadModel({ Model: name, ModelFile: dir.join(name), ModelPath: dir.path, Threads: 1 }))
}

async function speak(text: string, voice: string): Promise<Float32Array> {
  const dst = backend.dir.join('out.wav')
  ensureSuccess(await backend.client.tts({ text, dst, voice }))
  const { samples } = await readWav([await readFile(dst)])
  const pieces: Float32Array[] = []
  for await (const piece of samples) pieces.push(Float32Array.from(piece))
  return mix(...pieces.map((piece, index) => ({ sound: piece, at: countBefore(pieces, index) / HEARD_RATE })))
}

const countBefore = (pieces: readonly Float32Array[], index: number) =>
  pieces.slice(0, index).reduce((sum, { length }) => sum + length, 0)

interface Part {
  readonly sound: Float32Array
  /** Seconds from the beginning. */
  readonly at: number
  readonly db?: number
}

function mix(...parts: readonly Part[]): Float32Array {
  const ends = parts.map(({ sound, at }) => Math.round(at * HEARD_RATE) + sound.length)
  const mixed = new Float32Array(Math.max(...ends))
  for (const { sound, at, db = 0 } of parts) {
    const from = Math.round(at * HEARD_RATE)
    for (const [index, sample] of sound.entries())
      mixed[from + index] = (mixed[from + index] ?? 0) + sample * 10 ** (db / 20)
  }
  return mixed
}

const silence = (seconds: number) => new Float32Array(seconds * HEARD_RATE)
const END = { sound: silence(1), at: 7 }

/** Noise of an even spectrum, the same each time. */
function makeNoise(seconds: number): Float32Array {
  let state = 1
  return Float32Array.from({ length: seconds * HEARD_RATE }, () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 1_073_741_823.5 - 1
  })
}

/** Has a sound heard while our voice is played from one second on; the detector answers within the same piece. */
async function hear(sound: Float32Array, { voice }: { readonly voice?: Float32Array } = {}) {
  const events: { readonly name: string; readonly at: number; readonly startMs?: number; readonly endMs?: number }[] =
    []
  let heard = 0
  let asked: Promise<unknown> = Promise.resolve()
  const note = (name: string) => (facts?: object) => void events.push({ name, at: heard / HEARD_RATE, ...facts })
  const taker = createTurnTaker({
    listener: {
      speechStarted: note('started'),
      speechStopped: note('stopped'),
      hold: note('hold'),
      resume: note('resume'),
      interrupt: note('interrupt'),
      timedOut: note('idle'),
      failed: (error) => events.push({ name: String(error), at: heard }),
    },
    transcribe: async () => '',
    detectSpeech: async (samples, { signal }) => {
      const answer = backend.client.vad({ audio: [...samples] }, { signal })
      asked = answer.catch(() => undefined)
      return (await answer).segments
    },
  })
  taker.set(SERVER)
  for (; heard < sound.length; heard += PIECE) {
    const played = heard - HEARD_RATE
    if (voice !== undefined && played >= 0 && played < voice.length) {
      taker.setSpeaking(true)
      taker.heardOurselves(voice.subarray(played, played + PIECE))
    } else taker.setSpeaking(false)
    taker.hear(sound.subarray(heard, heard + PIECE))
    await asked
    await new Promise((resolve) => setImmediate(resolve))
  }
  taker.close()
  return { events, names: events.map(({ name }) => name) }
}

describe('turn taking with a real detector', () => {
  it('finds where sentences begin and end', async () => {
    const { events, names } = await hear(
      mix({ sound: people.rms, at: 1 }, { sound: people.awb, at: 6 }, { sound: silence(1), at: 10 }),
    )
    expect(names).toEqual(['started', 'stopped', 'started', 'stopped'])
    for (const [index, [begin, person]] of (
      [
        [1, people.rms],
        [6, people.awb],
      ] as const
    ).entries()) {
      const turn = events[index * 2 + 1]
      const end = begin + person.length / HEARD_RATE
      // padding before it, silence behind it
      expect((turn?.startMs ?? 0) / 1000).toBeGreaterThan(begin - 0.5)
      expect((turn?.startMs ?? 0) / 1000).toBeLessThan(begin)
      expect(Math.abs((turn?.endMs ?? 0) / 1000 - end - 0.5)).toBeLessThan(0.3)
    }
  })

  it.each([
    ['white', () => makeNoise(5).map((sample) => sample / 30)],
    ['brown', () => toBrown(makeNoise(5))],
    [
      'chords',
      () =>
        silence(5).map((_, index) =>
          [220, 277, 330].reduce((sum, tone) => sum + Math.sin((tone * index * 6.283) / HEARD_RATE) / 8, 0),
        ),
    ],
    ['clicks', () => makeNoise(5).map((sample, index) => (index % 3200 < 160 ? sample / 3 : 0))],
    ['a constant', () => silence(5).fill(0.4)],
  ])('starts no turn in %s', async (_, make) => {
    expect((await hear(make())).names).toEqual([])
  })

  it.each([50, 250, 500])('takes no echo of our voice after %i ms for speech', async (delayMs) => {
    for (const db of [-6, -15, -30]) {
      const echo = { sound: ours, at: 1 + delayMs / 1000, db }
      const { names } = await hear(mix(echo, { ...END, sound: silence(0.5), at: 6 }), { voice: ours })
      expect(names, `${db} dB`).toEqual([])
    }
  })

  it('would take it for speech if it did not know our voice', async () => {
    expect((await hear(mix({ sound: ours, at: 1.25, db: -6 }, END))).names).toEqual(['started', 'stopped'])
  })

  it.each([
    ['rms', 50, -6, 0],
    ['rms', 250, -15, -9],
    ['awb', 250, -6, 0],
    ['awb', 500, -30, 0],
  ] as const)('lets %s interrupt over an echo after %i ms with %i dB', async (who, delayMs, db, level) => {
    const begin = 2.5
    const heard = mix({ sound: ours, at: 1 + delayMs / 1000, db }, { sound: people[who], at: begin, db: level }, END)
    const { events, names } = await hear(heard, { voice: ours })
    expect(names.slice(0, 3)).toEqual(['hold', 'interrupt', 'started'])
    const [hold, interrupt, started] = events
    expect((hold?.at ?? 0) - begin).toBeLessThan(0.9)
    expect((interrupt?.at ?? 0) - begin).toBeLessThan(1.5)
    expect((started?.startMs ?? 0) / 1000).toBeGreaterThan(begin - 0.6)
    expect((started?.startMs ?? 0) / 1000).toBeLessThan(begin + 0.2)
  })
})

/** The lower a tone, the louder it is. */
function toBrown(noise: Float32Array): Float32Array {
  let level = 0
  return noise.map((sample) => {
    level = level * 0.99 + sample / 50
    return level
  })
}
