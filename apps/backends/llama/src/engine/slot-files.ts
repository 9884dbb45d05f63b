import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { appendFile, open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { invalidRequest, LlamaError } from '../errors.ts'
import type { Sequence } from './batcher.ts'
import type { Generator } from './generate.ts'

/** What was written or read. */
export interface SlotFile {
  /** Tokens the slot holds. */
  readonly tokens: number
  /** Size of the file. */
  readonly bytes: number
}

/** Bytes behind the state of the engine, which tell what model it belongs to. */
const SEAL_BYTES = 32

/**
 * Writes what a slot remembers to a file. The file appears whole or not at all. A slot that is answering is saved as it
 * is between two tokens.
 *
 * @throws LlamaError `invalid_request` for a slot that is not there, `insufficient_storage` where the file would be
 * larger than `maxBytes` (0: no limit)
 */
export async function saveSlot(
  generator: Generator,
  request: { readonly slot: number; readonly file: string; readonly maxBytes: number; readonly seal: Buffer },
): Promise<SlotFile> {
  const sequence = findSlot(generator, request.slot)
  checkPath(request.file)
  const draft = `${request.file}.${randomBytes(6).toString('hex')}.partial`
  try {
    const tokens = await generator.batcher.between(async () => {
      const saved = Uint32Array.from(sequence.tokens)
      await writing(generator.context.saveSequenceStateToFile(draft, sequence.id, saved))
      return saved.length
    })
    await appendFile(draft, request.seal)
    const { size } = await stat(draft)
    if (request.maxBytes > 0 && size > request.maxBytes) {
      const message = `the state has ${size} bytes, more than the ${request.maxBytes} allowed`
      throw new LlamaError('insufficient_storage', message, { code: 'slot_too_large' })
    }
    await rename(draft, request.file)
    return { tokens, bytes: size }
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Reads what a slot remembers back from a file; waits until nobody uses the slot.
 *
 * @throws LlamaError `invalid_request` for a slot or file that is not there, `unprocessable` for a file of another model
 * or one that is damaged: then the slot remembers nothing
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

/** A number for a model file and the way it is loaded: states of one are of no use to another. */
export function createSeal(parts: readonly unknown[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}

function findSlot({ pool }: Generator, slot: number): Sequence {
  const sequence = pool.slots[slot]
  if (sequence === undefined) throw invalidRequest(`slots are 0 to ${pool.slots.length - 1}`, 'slot')
  return sequence
}

function checkPath(file: string): void {
  if (!path.isAbsolute(file) || file.includes('\0')) throw invalidRequest('the path must be absolute', 'path')
}

async function writing(saving: Promise<number>): Promise<void> {
  try {
    await saving
  } catch (error) {
    throw new LlamaError('internal', 'the state of the slot cannot be written', { cause: error })
  }
}

/** Looks at a file before the engine does, which trusts it. @returns its size */
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
