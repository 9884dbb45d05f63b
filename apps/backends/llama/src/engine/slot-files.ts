import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { appendFile, open, rename, rm, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { invalidRequest, LlamaError } from '../errors.ts'
import type { Sequence } from './batcher.ts'
import type { Generator } from './generate.ts'

/** Facts of a written or read file. */
export interface SlotFile {
  /** Tokens the slot holds. */
  readonly tokens: number
  /** Size of the file. */
  readonly bytes: number
}

/** Bytes after the state of the engine, which identify its model. */
const SEAL_BYTES = 32
/** Room below which a disk counts as full. */
const FULL_BYTES = 1024 * 1024

/**
 * Writes the tokens and state of a slot to a file. The file appears whole or not at all; a caller who leaves gets none.
 * A running slot is saved between two tokens. The engine cannot be stopped while it writes.
 *
 * @throws LlamaError `invalid_request` for an unknown slot, `insufficient_storage` when the file would be larger than
 *   `maxBytes` (0: no limit)
 */
export async function saveSlot(
  generator: Generator,
  request: { readonly slot: number; readonly file: string; readonly maxBytes: number; readonly seal: Buffer },
  { signal }: { readonly signal: AbortSignal },
): Promise<SlotFile> {
  const sequence = findSlot(generator, request.slot)
  checkPath(request.file)
  const draft = `${request.file}.${randomBytes(6).toString('hex')}.partial`
  try {
    const tokens = await generator.batcher.between(async () => {
      signal.throwIfAborted()
      const saved = Uint32Array.from(sequence.tokens)
      await writing(generator.context.saveSequenceStateToFile(draft, sequence.id, saved), draft)
      return saved.length
    })
    await appendFile(draft, request.seal).catch((error: unknown) => {
      throw unwritten(error)
    })
    const { size } = await stat(draft)
    if (request.maxBytes > 0 && size > request.maxBytes) {
      const message = `the state has ${size} bytes, more than the ${request.maxBytes} allowed`
      throw new LlamaError('insufficient_storage', message, { code: 'slot_too_large' })
    }
    signal.throwIfAborted()
    await rename(draft, request.file)
    return { tokens, bytes: size }
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Restores a slot from a file; waits until the slot is free.
 *
 * @throws LlamaError `invalid_request` for an unknown slot or missing file, `unprocessable` for a damaged file or one
 *   of another model: then the slot is empty
 */
export async function restoreSlot(
  generator: Generator,
  request: { readonly slot: number; readonly file: string; readonly seal: Buffer },
  { signal }: { readonly signal: AbortSignal },
): Promise<SlotFile> {
  findSlot(generator, request.slot)
  checkPath(request.file)
  const bytes = await checkFile(request.file, request.seal)
  const lease = await generator.pool.acquire({ signal, only: request.slot })
  try {
    const { slot: sequence } = lease
    return await generator.batcher.between(async () => {
      generator.context.disposeSequence(sequence.id)
      sequence.tokens.length = 0
      try {
        const { contextSize, context } = generator
        const tokens = await context.loadSequenceStateFromFile(request.file, sequence.id, contextSize)
        for (const token of generator.tokenizer.toTokens([...tokens], 'path')) sequence.tokens.push(token)
      } catch (error) {
        generator.context.disposeSequence(sequence.id)
        sequence.tokens.length = 0
        throw badFile('the engine cannot read the state', error)
      }
      return { tokens: sequence.tokens.length, bytes }
    })
  } finally {
    lease.release()
  }
}

/** Creates the identity of a model file with its settings: the states of one are useless to another. */
export function createSeal(parts: readonly unknown[]): Buffer {
  return hash('sha256', JSON.stringify(parts), 'buffer')
}

function findSlot({ pool }: Generator, slot: number): Sequence {
  const sequence = pool.slots[slot]
  if (sequence === undefined) throw invalidRequest(`slots are 0 to ${pool.slots.length - 1}`, 'slot')
  return sequence
}

function checkPath(file: string): void {
  if (!path.isAbsolute(file) || file.includes('\0')) throw invalidRequest('the path must be absolute', 'path')
}

async function writing(saving: Promise<number>, file: string): Promise<void> {
  try {
    await saving
  } catch (error) {
    throw unwritten(error, await isFull(file))
  }
}

/** Whether the disk of a file has no room. The engine does not say why it failed. */
async function isFull(file: string): Promise<boolean> {
  return statfs(path.dirname(file)).then(
    ({ bavail, bsize }) => bavail * bsize < FULL_BYTES,
    () => false,
  )
}

function unwritten(cause: unknown, isFull = readCode(cause) === 'ENOSPC'): LlamaError {
  return isFull
    ? new LlamaError('insufficient_storage', 'the disk has no room for the state of the slot', {
        code: 'disk_full',
        cause,
      })
    : new LlamaError('internal', 'the state of the slot cannot be written', { cause })
}

function readCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** Checks a file before the engine reads it without checks. @returns its size */
async function checkFile(name: string, seal: Buffer): Promise<number> {
  const file = await open(name).catch((error: unknown) => {
    throw new LlamaError('invalid_request', 'the file cannot be opened', { cause: error, details: { param: 'path' } })
  })
  try {
    const { size } = await file.stat()
    const tail = Buffer.alloc(SEAL_BYTES)
    if (size <= SEAL_BYTES) throw badFile('the file is too short')
    await file.read(tail, 0, tail.length, size - SEAL_BYTES)
    if (!timingSafeEqual(tail, seal)) throw badFile('the file belongs to another model, or is damaged')
    return size
  } finally {
    await file.close()
  }
}

function badFile(message: string, cause?: unknown): LlamaError {
  return new LlamaError('unprocessable', message, { code: 'bad_slot_file', cause })
}
