import { createFakeClock } from '@svc/test-kit'
import { HEARD_RATE, type TurnDetection, type TurnListener, type TurnTakerParts } from '../../ports.ts'
import { createTurnTaker } from '../turn-taker.ts'

type DetectSpeech = TurnTakerParts['detectSpeech']

/** Sound of a tenth of a second for each sign: `#` is speech, `,` a noise that is none, anything else silence. */
export function toSound(signs: string): Float32Array {
  const part = HEARD_RATE / 10
  return Float32Array.from({ length: signs.length * part }, (_, index) => {
    const sign = signs[Math.floor(index / part)]
    if (sign === '#') return Math.sin((2 * Math.PI * 200 * index) / HEARD_RATE) / 2
    return sign === ',' ? Math.sin((2 * Math.PI * 200 * index) / HEARD_RATE) / 50 : 0
  })
}

const FRAME = HEARD_RATE / 50
const LEAST_SPEECH = 0.2
const LEAST_PAUSE = 0.3

/** Finds loud stretches as detectors find speech: an end of 0 says that it goes on. */
export const detectLoud: DetectSpeech = async (samples) => {
  const found: { start: number; end: number }[] = []
  const seconds = samples.length / HEARD_RATE
  let start: number | undefined
  let end = 0
  for (let from = 0; from < samples.length; from += FRAME) {
    const time = from / HEARD_RATE
    if (samples.subarray(from, from + FRAME).some((sample) => Math.abs(sample) > 0.2)) {
      start ??= time
      end = time + FRAME / HEARD_RATE
    } else if (start !== undefined && time - end >= LEAST_PAUSE) {
      if (end - start >= LEAST_SPEECH) found.push({ start, end })
      start = undefined
    }
  }
  if (start !== undefined && Math.min(end, seconds) - start >= LEAST_SPEECH) found.push({ start, end: 0 })
  return found
}

/** Settings as sessions begin with them. */
export const SERVER = {
  type: 'server_vad',
  threshold: 0.5,
  prefixPaddingMs: 300,
  silenceDurationMs: 500,
  createResponse: true,
  interruptResponse: true,
} as const satisfies TurnDetection
export const SEMANTIC = {
  type: 'semantic_vad',
  eagerness: 'auto',
  createResponse: true,
  interruptResponse: true,
} as const

/** Turn taking in a world without a model; what it decides is noted, with times to 50 ms. */
export function setUp(settings: TurnDetection | null = SERVER, parts: Partial<TurnTakerParts> = {}) {
  const events: string[] = []
  const calls: number[] = []
  const note =
    (name: string) =>
    (facts?: object): void => {
      const times = facts === undefined ? [] : Object.values(facts).map((time) => Math.round(Number(time) / 50) * 50)
      events.push([name, ...times].join(' '))
    }
  const listener: TurnListener = {
    speechStarted: note('started'),
    speechStopped: note('stopped'),
    hold: note('hold'),
    resume: note('resume'),
    interrupt: note('interrupt'),
    timedOut: note('idle'),
    failed: (error) => events.push(`failed: ${error instanceof Error ? error.message : String(error)}`),
  }
  const clock = createFakeClock()
  const taker = createTurnTaker(
    {
      listener,
      transcribe: async () => '',
      ...parts,
      detectSpeech: (samples, options) => {
        calls.push(samples.length)
        return (parts.detectSpeech ?? detectLoud)(samples, options)
      },
    },
    { clock },
  )
  taker.set(settings)
  return {
    taker,
    events,
    calls,
    clock,
    toSound,
    /** Lets sound be heard in pieces, as it would be in time. */
    hear: async (signs: string, pieceMs = 20) => {
      const sound = toSound(signs)
      for (let from = 0; from < sound.length; from += pieceMs * 16) {
        taker.hear(sound.subarray(from, from + pieceMs * 16))
        await settle()
      }
    },
  }
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
