import { createObservable, type Observable } from '../chat/observable.ts'
import { EVENT_RATE } from './pcm.ts'

/** Part of an audio context that plays. */
export type VoiceOutput = Pick<
  AudioContext,
  | 'currentTime'
  | 'outputLatency'
  | 'destination'
  | 'createBuffer'
  | 'createBufferSource'
  | 'createMediaStreamDestination'
  | 'close'
  | 'resume'
>

/** A part of an item of the conversation. */
export interface SoundPart {
  readonly itemId: string
  readonly contentIndex: number
}

/** How much of a part was heard when the voice was stopped. */
export interface HeardPart extends SoundPart {
  readonly playedMs: number
}

/** The voice of the model, played as its sound comes. */
export interface Voice {
  /** Whether something is heard, or about to be. */
  readonly isPlaying: Observable<boolean>
  /** The sound that is played, for a meter. */
  readonly stream: MediaStream
  /** Adds sound of 24,000 samples a second. Beyond {@link MAX_WAITING_SECONDS} of unheard sound, it is dropped. */
  readonly play: (part: SoundPart, samples: Float32Array<ArrayBuffer>) => void
  /** Falls silent at once. @returns the parts that were not heard to their end */
  readonly stop: () => readonly HeardPart[]
  readonly close: () => void
}

interface Piece {
  readonly part: SoundPart
  readonly seconds: number
  readonly source: AudioBufferSourceNode
  /** When it begins; undefined while it waits. */
  startAt: number | undefined
}

/** Unheard sound that is kept, in seconds. Models make speech faster than it is heard. */
const MAX_WAITING_SECONDS = 600
/** Sound that is handed to the browser ahead of time, in seconds. */
const AHEAD_SECONDS = 1
/** Time until the first piece, in seconds, so that the next one is there in time. */
const LEAD_SECONDS = 0.05

/** Sums of seconds are a little too small. */
const ROUNDING_MS = 0.01

const samePart = (left: SoundPart, right: SoundPart) =>
  left.itemId === right.itemId && left.contentIndex === right.contentIndex

/** @param output with 24,000 samples a second, so that pieces join without a seam; made in the handler of a press */
export function createVoice(output: VoiceOutput): Voice {
  const isPlaying = createObservable(false)
  const meter = output.createMediaStreamDestination()
  /** Pieces that are not heard to their end, the oldest first. */
  let pieces: Piece[] = []
  /** Seconds that were heard of the parts in `pieces`. */
  let heard: { readonly part: SoundPart; seconds: number }[] = []
  let nextAt = 0
  void output.resume()

  const schedule = () => {
    for (const piece of pieces) {
      if (piece.startAt !== undefined) continue
      if (nextAt - output.currentTime > AHEAD_SECONDS) break
      nextAt = Math.max(nextAt, output.currentTime + LEAD_SECONDS)
      piece.startAt = nextAt
      piece.source.start(nextAt)
      nextAt += piece.seconds
    }
  }
  const count = (part: SoundPart, seconds: number) => {
    const known = heard.find((entry) => samePart(entry.part, part))
    if (known === undefined) heard.push({ part, seconds })
    else known.seconds += seconds
  }
  const end = (piece: Piece) => {
    if (!pieces.includes(piece)) return
    pieces = pieces.filter((other) => other !== piece)
    count(piece.part, piece.seconds)
    if (pieces.length === 0) isPlaying.set(false)
    schedule()
  }
  return {
    isPlaying,
    stream: meter.stream,
    play(part, samples) {
      const waiting = pieces.reduce((total, { seconds }) => total + seconds, 0)
      if (samples.length === 0 || waiting > MAX_WAITING_SECONDS) return
      // what was heard of earlier parts is of no use any more
      heard = heard.filter(
        (entry) => samePart(entry.part, part) || pieces.some((piece) => samePart(piece.part, entry.part)),
      )
      const buffer = output.createBuffer(1, samples.length, EVENT_RATE)
      buffer.copyToChannel(samples, 0)
      const source = output.createBufferSource()
      source.buffer = buffer
      source.connect(output.destination)
      source.connect(meter)
      const piece: Piece = { part, seconds: buffer.duration, source, startAt: undefined }
      source.onended = () => end(piece)
      pieces.push(piece)
      isPlaying.set(true)
      schedule()
    },
    stop() {
      // what has left the page is heard a little later
      const now = output.currentTime - (output.outputLatency || 0)
      const stopped = pieces
      pieces = []
      const cut: SoundPart[] = []
      for (const { part, seconds, source, startAt } of stopped) {
        source.onended = null
        if (startAt !== undefined) source.stop()
        source.disconnect()
        count(part, startAt === undefined ? 0 : Math.max(0, Math.min(seconds, now - startAt)))
        if (!cut.some((other) => samePart(other, part))) cut.push(part)
      }
      const parts = heard.filter(({ part }) => cut.some((other) => samePart(other, part)))
      heard = []
      nextAt = 0
      isPlaying.set(false)
      return parts.map(({ part, seconds }) => ({ ...part, playedMs: Math.floor(seconds * 1000 + ROUNDING_MS) }))
    },
    close: () => void output.close().catch(() => {}),
  }
}

/** The voice of this browser. Call it in the handler of a press, so that browsers let it play. */
export function openVoice(): Voice {
  return createVoice(new AudioContext({ sampleRate: EVENT_RATE }))
}
