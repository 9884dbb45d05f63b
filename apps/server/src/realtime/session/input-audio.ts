import { setImmediate } from 'node:timers/promises'
import { SvcError } from '@svc/errors'
import { HEARD_RATE } from '../ports.ts'
import { badEvent } from './event-error.ts'
import { createHeardSound, type HeardSound } from './heard-sound.ts'
import type { SessionMemory } from './session-context.ts'
import { createRateChange, createSoundReader, rateOf, type SoundFormat } from './sound-format.ts'

/** What a session hears. */
export interface InputAudio {
  readonly sound: HeardSound
  /**
   * Reads sound in the input format, base64.
   *
   * @returns a promise where there is much of it: nothing may be appended before it settles
   * @throws {SvcError} `invalid_audio_data`, `buffer_size_exceeded`
   */
  append(base64: string, format: SoundFormat): Promise<void> | undefined
  /** Reads sound in the input format, as {@link InputAudio.append} does. @throws {SvcError} `buffer_size_exceeded` */
  appendBytes(bytes: Uint8Array, format: SoundFormat): Promise<void> | undefined
  /** Takes samples of any rate. @throws {SvcError} `buffer_size_exceeded` */
  appendSamples(samples: Float32Array, sampleRate: number): void
  /** The bytes of one append that are too many, in base64. */
  close(): void
}

/** Most sound of a buffer. */
const MAX_BUFFER_MS = 15 * 60_000
/** Largest piece of sound in one event, in characters of base64. */
const MAX_APPEND = 10 * 1024 * 1024
const FIRST_SCRATCH = 16 * 1024
/** Sound that is examined at once; others have their turn before the next. */
const SLICE_SECONDS = 5

/** Creates the input of a session. @param parts.hear takes sound at the heard rate once it is kept */
export function createInputAudio({
  memory,
  hear,
}: {
  readonly memory: SessionMemory
  readonly hear: (samples: Float32Array) => void
}): InputAudio {
  const sound = createHeardSound({ maxMs: MAX_BUFFER_MS })
  const change = createRateChange(HEARD_RATE)
  let counted = 0
  let scratch = Buffer.allocUnsafe(0)
  let reader = createSoundReader({ type: 'audio/pcmu' })
  let readerFormat: SoundFormat | undefined
  let isClosed = false

  function appendSamples(samples: Float32Array, sampleRate: number): void {
    const heard = change.push(samples, sampleRate)
    if (heard.length === 0) return
    if (!sound.add(heard)) throw bufferFull()
    count()
    hear(heard)
  }
  function count(): void {
    const { keptBytes } = sound
    if (keptBytes > counted && !memory.add(keptBytes - counted)) {
      sound.clear()
      throw new SvcError('unavailable', 'the sound of all sessions takes too much memory; the buffer was cleared', {
        code: 'buffer_size_exceeded',
      })
    }
    counted = Math.max(counted, keptBytes)
  }
  function appendBytes(bytes: Uint8Array, format: SoundFormat): Promise<void> | undefined {
    if (readerFormat !== format) {
      reader = createSoundReader(format)
      readerFormat = format
    }
    const rate = rateOf(format)
    const bytesASecond = rate * (format.type === 'audio/pcm' ? 2 : 1)
    const keptMs = sound.endMs - sound.startMs
    if (keptMs + (bytes.length * 1000) / bytesASecond > MAX_BUFFER_MS) throw bufferFull()
    const slice = SLICE_SECONDS * bytesASecond
    if (bytes.length > slice) return appendSlices(bytes, { slice, rate })
    appendSamples(reader.read(bytes), rate)
    return undefined
  }
  async function appendSlices(
    bytes: Uint8Array,
    { slice, rate }: { readonly slice: number; readonly rate: number },
  ): Promise<void> {
    for (let at = 0; at < bytes.length; at += slice) {
      if (at > 0) await setImmediate()
      if (isClosed) return
      appendSamples(reader.read(bytes.subarray(at, at + slice)), rate)
    }
  }

  return {
    sound,
    appendSamples,
    appendBytes,
    append(base64, format) {
      if (base64 === '') throw badEvent('missing_audio_data', 'audio: is empty', 'audio')
      if (base64.length > MAX_APPEND)
        throw badEvent('buffer_size_exceeded', 'audio: is too long for one event', 'audio')
      const length = decodedLength(base64)
      if (scratch.length < length) scratch = Buffer.allocUnsafe(Math.max(FIRST_SCRATCH, length))
      // characters that are not base64 are left out by Node, so that fewer bytes come out
      if (scratch.write(base64, 0, length, 'base64') !== length || base64.length % 4 === 1)
        throw badEvent('invalid_audio_data', 'audio: is not base64', 'audio')
      return appendBytes(scratch.subarray(0, length), format)
    },
    close() {
      isClosed = true
      sound.clear()
      scratch = Buffer.allocUnsafe(0)
      memory.release()
    },
  }
}

/** Reads a whole piece of sound at the heard rate. @throws {SvcError} `invalid_audio_data` */
export function readSound(base64: string, format: SoundFormat): Float32Array {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0 || bytes.length !== decodedLength(base64))
    throw badEvent('invalid_audio_data', 'audio: is not base64', 'item.content')
  const change = createRateChange(HEARD_RATE)
  const samples = change.push(createSoundReader(format).read(bytes), rateOf(format))
  const rest = change.end()
  const whole = new Float32Array(samples.length + rest.length)
  whole.set(samples)
  whole.set(rest, samples.length)
  return whole
}

function bufferFull(): SvcError {
  return badEvent('buffer_size_exceeded', 'the buffer holds 15 minutes of sound: commit or clear it')
}

function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.floor(((base64.length - padding) * 3) / 4)
}
