import { setImmediate } from 'node:timers/promises'
import { SvcError } from '@svc/errors'
import { HEARD_RATE } from '../ports.ts'
import { badEvent } from './event-error.ts'
import { createHeardSound, type HeardSound } from './heard-sound.ts'
import type { SessionMemory } from './session-memory.ts'
import { createRateChange, createSoundReader, rateOf, type SoundFormat } from './sound-format.ts'

/** What a session hears. */
export interface InputAudio {
  readonly sound: HeardSound
  /**
   * Reads sound in the input format, base64. Much sound is taken bit by bit; call nothing else until it is taken.
   *
   * @throws {SvcError} `invalid_audio_data`, `buffer_size_exceeded`
   */
  append(base64: string, format: SoundFormat): Promise<void> | undefined
  /** Reads sound in the input format, as {@link append} does. @throws {SvcError} `buffer_size_exceeded` */
  appendBytes(bytes: Uint8Array, format: SoundFormat): Promise<void> | undefined
  /** Takes samples of any rate. @throws {SvcError} `buffer_size_exceeded` */
  appendSamples(samples: Float32Array, sampleRate: number): void
  /** Forgets the sound: what comes next begins with a whole sample. */
  clear(): void
  /** Notes that sound was dropped. */
  settle(): void
  close(): void
}

/** Most sound of a buffer. */
const MAX_BUFFER_MS = 15 * 60_000
/** Largest piece of sound in one event, in characters of base64. */
const MAX_APPEND = 10 * 1024 * 1024
/** Sound that is read at once, bytes: its rate is changed in some milliseconds. */
const PIECE = 64 * 1024
const FIRST_SCRATCH = 16 * 1024

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
  let isClosed = false
  let scratch = Buffer.allocUnsafe(0)
  let reader = createSoundReader({ type: 'audio/pcmu' })
  let readerFormat: SoundFormat | undefined

  function appendSamples(samples: Float32Array, sampleRate: number): void {
    if (isClosed) return
    const heard = change.push(samples, sampleRate)
    if (heard.length === 0) return
    if (!sound.add(heard)) throw tooLong()
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
    if (keptBytes < counted) memory.subtract(counted - keptBytes)
    counted = keptBytes
  }
  function readPiece(bytes: Uint8Array, format: SoundFormat): void {
    if (readerFormat !== format) {
      reader = createSoundReader(format)
      readerFormat = format
    }
    appendSamples(reader.read(bytes), rateOf(format))
  }
  async function readPieces(bytes: Uint8Array, format: SoundFormat): Promise<void> {
    if (lengthMs(bytes.length, format) > MAX_BUFFER_MS - (sound.endMs - sound.startMs)) throw tooLong()
    for (let at = 0; at < bytes.length && !isClosed; at += PIECE) {
      readPiece(bytes.subarray(at, at + PIECE), format)
      await setImmediate()
    }
  }
  function appendBytes(bytes: Uint8Array, format: SoundFormat): Promise<void> | undefined {
    if (bytes.length > PIECE) return readPieces(bytes, format)
    readPiece(bytes, format)
    return undefined
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
      const bytes = scratch.length < length ? Buffer.allocUnsafe(Math.max(FIRST_SCRATCH, length)) : scratch
      if (length <= PIECE) scratch = bytes
      // characters that are not base64 are left out by Node, so that fewer bytes come out
      if (bytes.write(base64, 0, length, 'base64') !== length || base64.length % 4 === 1)
        throw badEvent('invalid_audio_data', 'audio: is not base64', 'audio')
      return appendBytes(bytes.subarray(0, length), format)
    },
    clear() {
      sound.clear()
      readerFormat = undefined
      count()
    },
    settle: count,
    close() {
      isClosed = true
      sound.clear()
      count()
    },
  }
}

/** Sound that is not read yet. */
export interface UnreadSound {
  /** Bytes of its samples. */
  readonly bytes: number
  /** Gives the samples at the heard rate. */
  read(): Promise<Float32Array>
}

/** Reads a whole piece of sound, bit by bit. @throws {SvcError} `invalid_audio_data` */
export function readSound(base64: string, format: SoundFormat): UnreadSound {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0 || bytes.length !== decodedLength(base64))
    throw badEvent('invalid_audio_data', 'audio: is not base64', 'item.content')
  const size = Math.ceil((lengthMs(bytes.length, format) * HEARD_RATE) / 1000) * Float32Array.BYTES_PER_ELEMENT
  return { bytes: size, read: () => readWhole(bytes, format) }
}

async function readWhole(bytes: Uint8Array, format: SoundFormat): Promise<Float32Array> {
  const change = createRateChange(HEARD_RATE)
  const reader = createSoundReader(format)
  const pieces: Float32Array[] = []
  for (let at = 0; at < bytes.length; at += PIECE) {
    pieces.push(change.push(reader.read(bytes.subarray(at, at + PIECE)), rateOf(format)))
    if (bytes.length > PIECE) await setImmediate()
  }
  pieces.push(change.end())
  const whole = new Float32Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let filled = 0
  for (const piece of pieces) {
    whole.set(piece, filled)
    filled += piece.length
  }
  return whole
}

/** Time of sound, milliseconds. */
function lengthMs(bytes: number, format: SoundFormat): number {
  return (bytes * 1000) / ((format.type === 'audio/pcm' ? 2 : 1) * rateOf(format))
}

function tooLong() {
  return badEvent('buffer_size_exceeded', 'the buffer holds 15 minutes of sound: commit or clear it')
}

function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.floor(((base64.length - padding) * 3) / 4)
}
