import { readSync } from 'node:fs'
import { type GgufHeader, type GgufSource, readGgufHeader } from '@svc/gguf'

/** Facts from the header of a GGUF file. */
export interface GgufSummary {
  /** Family of the network, such as `llama` or `bert`; empty where the file does not name it, as files of images do. */
  readonly architecture: string
  /** Type of a file that is not a model: `adapter`, `mmproj`, `imatrix`. */
  readonly type?: string | undefined
  /** Name that its maker gave it. */
  readonly name?: string | undefined
  /** Tokens that it was trained for. */
  readonly contextLength?: number | undefined
  /** Number of the quantisation in the file format. */
  readonly fileType?: number | undefined
  /** Pooling of token vectors: 0 none, 1 mean, 2 first, 3 last, 4 rank. */
  readonly poolingType?: number | undefined
  readonly hasChatTemplate: boolean
  readonly tensorCount: number
  readonly sizeBytes: number
}

const MAX_CONTEXT_LENGTH = 2 ** 31 - 1

/**
 * Reads the header of an open GGUF file, so that a damaged file is refused before a backend opens it. Blocks while it
 * reads.
 *
 * @throws {GgufError} for a file whose header contradicts it
 */
export function readGgufSummary(descriptor: number, sizeBytes: number): GgufSummary {
  return toSummary(readGgufHeader(toSource(descriptor, sizeBytes)), sizeBytes)
}

/** Reads the chat template of an open GGUF file; empty where it has none. @throws {GgufError} as {@link readGgufSummary} */
export function readGgufChatTemplate(descriptor: number, sizeBytes: number): string {
  const template = readGgufHeader(toSource(descriptor, sizeBytes)).keys.get('tokenizer.chat_template')
  return typeof template === 'string' ? template : ''
}

function toSource(descriptor: number, sizeBytes: number): GgufSource {
  return {
    sizeBytes,
    read(position, length) {
      const bytes = Buffer.allocUnsafe(length)
      let filled = 0
      while (filled < length) {
        const read = readSync(descriptor, bytes, filled, length - filled, position + filled)
        if (read === 0) break
        filled += read
      }
      return bytes.subarray(0, filled)
    },
  }
}

function toSummary({ keys, tensorCount }: GgufHeader, sizeBytes: number): GgufSummary {
  const text = (key: string): string | undefined => {
    const value = keys.get(key)
    return typeof value === 'string' ? value : undefined
  }
  const number = (key: string): number | undefined => {
    const value = keys.get(key)
    return typeof value === 'number' ? value : undefined
  }
  const architecture = text('general.architecture') ?? ''
  return {
    architecture,
    type: text('general.type'),
    name: text('general.name'),
    contextLength: toContextLength(number(`${architecture}.context_length`)),
    fileType: number('general.file_type'),
    poolingType: number(`${architecture}.pooling_type`),
    hasChatTemplate: keys.has('tokenizer.chat_template') && keys.get('tokenizer.chat_template') !== '',
    tensorCount,
    sizeBytes,
  }
}

function toContextLength(value: number | undefined): number | undefined {
  return value !== undefined && Number.isInteger(value) && value > 0 ? Math.min(value, MAX_CONTEXT_LENGTH) : undefined
}
