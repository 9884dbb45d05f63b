import { readChannel, readWavHead, type WavHead, writeWav } from './wav.ts'

/** Part of an audio context that plays. */
export type SoundOutput = Pick<
  AudioContext,
  'currentTime' | 'destination' | 'createBuffer' | 'createBufferSource' | 'close' | 'resume'
>

/** A WAV file that is heard while it arrives. */
export interface LiveSound {
  /** Takes the next bytes. @throws Error for another file, for one that no browser plays, and above {@link MAX_SOUND_BYTES} */
  readonly push: (bytes: Uint8Array) => void
  /** Resolves once everything has been heard, or the sound was closed. */
  readonly finish: () => Promise<void>
  /** Falls silent at once. */
  readonly close: () => void
  /** The whole file, with its length. @throws Error without samples */
  readonly toFile: () => Blob
}

/** Largest file that is kept for download: about an hour of speech. */
const MAX_SOUND_BYTES = 200_000_000
/** Sound that is played in one piece, in seconds: shorter pieces click. */
const PIECE_SECONDS = 0.2
/** Samples a second that every browser plays. */
const [LEAST_RATE, MOST_RATE] = [8000, 96_000]
const MOST_CHANNELS = 32
/** Time until the first piece, in seconds, so that the next one is there in time. */
const LEAD_SECONDS = 0.15

/** @param output made in the handler of a press, so that browsers let it play */
export function createLiveSound(output: SoundOutput): LiveSound {
  let head: WavHead | undefined
  let waiting = new Uint8Array()
  const pieces: Uint8Array[] = []
  let total = 0
  let nextAt = 0
  let isClosed = false
  let settle: () => void = () => {}
  const closed = new Promise<void>((resolve) => {
    settle = resolve
  })
  let last: Promise<void> = Promise.resolve()
  void output.resume()

  const play = (bytes: Uint8Array, { channels, sampleRate }: WavHead) => {
    pieces.push(bytes)
    if (isClosed) return
    const buffer = output.createBuffer(channels, bytes.length / (2 * channels), sampleRate)
    for (let channel = 0; channel < channels; channel += 1)
      buffer.copyToChannel(readChannel(bytes, channels, channel), channel)
    const source = output.createBufferSource()
    source.buffer = buffer
    source.connect(output.destination)
    last = new Promise((resolve) => {
      source.onended = () => resolve()
    })
    nextAt = Math.max(nextAt, output.currentTime + LEAD_SECONDS)
    source.start(nextAt)
    nextAt += buffer.duration
  }
  const flush = (leastBytes: number) => {
    if (head === undefined) return
    const frame = 2 * head.channels
    const whole = waiting.length - (waiting.length % frame)
    if (whole === 0 || whole < leastBytes) return
    play(waiting.slice(0, whole), head)
    waiting = waiting.slice(whole)
  }
  return {
    push(bytes) {
      total += bytes.length
      if (total > MAX_SOUND_BYTES) throw new Error('the sound is too long')
      const joined = new Uint8Array(waiting.length + bytes.length)
      joined.set(waiting)
      joined.set(bytes, waiting.length)
      waiting = joined
      if (head === undefined) {
        head = readWavHead(waiting)
        if (head === undefined) return
        if (head.sampleRate < LEAST_RATE || head.sampleRate > MOST_RATE || head.channels > MOST_CHANNELS)
          throw new Error(
            `a sound of ${head.sampleRate} samples a second in ${head.channels} channels cannot be played`,
          )
        waiting = waiting.slice(head.offset)
      }
      flush(PIECE_SECONDS * head.sampleRate * head.channels * 2)
    },
    async finish() {
      flush(0)
      await Promise.race([last, closed])
    },
    close() {
      if (isClosed) return
      isClosed = true
      void output.close()
      settle()
    },
    toFile() {
      if (head === undefined) throw new Error('the sound is not a WAV file')
      return writeWav(head, pieces)
    },
  }
}
