import type { Speaker, StageCall } from '../ports.ts'
import { createClauses } from './clauses.ts'
import type { Item, SpokenText } from './conversation.ts'
import type { OutputMessage } from './output-message.ts'
import type { Playback } from './playback.ts'
import { createSoundWriter, type SoundFormat, type SoundWriter } from './sound-format.ts'

/** Speech of a message. */
export interface Voice {
  /** Takes text of the message. Waits while much text is not spoken yet. */
  say(text: string): Promise<void>
  /** Ends the text. Resolves when all of it is spoken, and has left. @throws the failure of a stage */
  end(): Promise<void>
}

/** Where the sound of a message goes. */
export interface SoundSink {
  play(samples: Float32Array, sampleRate: number): Promise<void>
  end(): Promise<void>
}

/** Parts of {@link createVoice}. */
export interface VoiceParts {
  readonly speak: (
    text: string,
    call: StageCall,
  ) => Promise<{ readonly sampleRate: number; readonly samples: AsyncIterable<Float32Array> }>
  readonly call: StageCall
  readonly sink: SoundSink
  readonly item: Item
  /** Whether text is spoken while it comes, and not at its end. */
  readonly byClause: boolean
}

/** Most clauses that wait to be spoken. */
const MAX_WAITING = 64

/** Speaks the text of a message clause by clause, in order. Ends with the signal of its call. */
export function createVoice({ speak, call, sink, item, byClause }: VoiceParts): Voice {
  const clauses = createClauses()
  const waiting: string[] = []
  let whole = ''
  let isOver = false
  let wakeSpeaker = (): void => undefined
  let wakeWriter = (): void => undefined
  const ended = run()
  call.signal.addEventListener('abort', () => wakeSpeaker(), { once: true })
  // the failure is thrown by `end`, or by the next text
  ended.catch(() => wakeWriter())

  async function run(): Promise<void> {
    for (;;) {
      const clause = waiting.shift()
      wakeWriter()
      if (clause !== undefined) await speakOne(clause)
      else if (isOver) return sink.end()
      else
        await new Promise<void>((resolve) => {
          wakeSpeaker = resolve
        })
      call.signal.throwIfAborted()
    }
  }
  async function speakOne(text: string): Promise<void> {
    const { sampleRate, samples } = await speak(text.trim(), call)
    const startMs = item.spokenMs ?? 0
    for await (const piece of samples) {
      call.signal.throwIfAborted()
      note(item, text, { startMs, addedMs: (piece.length / sampleRate) * 1000 })
      await sink.play(piece, sampleRate)
    }
  }

  return {
    async say(text) {
      if (!byClause) {
        whole += text
        return
      }
      waiting.push(...clauses.push(text))
      wakeSpeaker()
      if (waiting.length > MAX_WAITING)
        await Promise.race([
          ended,
          new Promise<void>((resolve) => {
            wakeWriter = resolve
          }),
        ])
    },
    async end() {
      waiting.push(...(byClause ? clauses.end() : [...clauses.push(whole), ...clauses.end()]))
      isOver = true
      wakeSpeaker()
      await ended
    },
  }
}

/** Notes how long a clause is, for a cut. */
function note(
  item: Item,
  text: string,
  { startMs, addedMs }: { readonly startMs: number; readonly addedMs: number },
): void {
  const spoken: readonly SpokenText[] = item.spoken ?? []
  const endMs = (item.spokenMs ?? 0) + addedMs
  item.spokenMs = endMs
  const before = spoken.at(-1)?.startMs === startMs ? spoken.slice(0, -1) : spoken
  item.spoken = [...before, { text, startMs, endMs }]
}

/** A door that can be held shut. */
export interface Gate {
  /** Resolves when the door is open. @throws the reason of the signal */
  pass(signal: AbortSignal): Promise<void> | undefined
  hold(): void
  release(): void
}

/** Creates an open door. */
export function createGate(): Gate {
  let isHeld = false
  let waiting: (() => void)[] = []
  return {
    pass(signal) {
      if (!isHeld) return undefined
      return new Promise((resolve, reject) => {
        const leave = (): void => reject(signal.reason as Error)
        signal.addEventListener('abort', leave, { once: true })
        waiting.push(() => {
          signal.removeEventListener('abort', leave)
          resolve()
        })
      })
    },
    hold() {
      isHeld = true
    },
    release() {
      isHeld = false
      const passing = waiting
      waiting = []
      for (const resolve of passing) resolve()
    },
  }
}

/** Most bytes of sound in one event. */
const MAX_DELTA_BYTES = 32 * 1024

/** Sends sound in events. */
export function createEventSink(
  message: OutputMessage,
  parts: {
    readonly format: SoundFormat
    readonly playback: Playback
    readonly gate: Gate
    readonly signal: AbortSignal
    readonly onStart: () => void
  },
): SoundSink {
  const { format, playback, gate, signal, onStart } = parts
  const writer: SoundWriter = createSoundWriter(format)
  let isStarted = false

  async function send(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += MAX_DELTA_BYTES) {
      await gate.pass(signal)
      signal.throwIfAborted()
      const piece = bytes.subarray(at, at + MAX_DELTA_BYTES)
      if (!isStarted) onStart()
      isStarted = true
      await message.audio(Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('base64'))
    }
  }
  return {
    async play(samples, sampleRate) {
      await send(writer.write(samples, sampleRate))
      playback.sent(samples, sampleRate)
    },
    end: () => send(writer.end()),
  }
}

/** Plays sound at the server's end of a call. */
export function createSpeakerSink(
  speaker: Speaker,
  parts: { readonly playback: Playback; readonly signal: AbortSignal; readonly onStart: () => void },
): SoundSink {
  const { playback, signal, onStart } = parts
  return {
    async play(samples, sampleRate) {
      if (playback.sentMs === 0) onStart()
      playback.sent(samples, sampleRate)
      await speaker.play(samples, { sampleRate, signal })
    },
    end: async () => undefined,
  }
}
