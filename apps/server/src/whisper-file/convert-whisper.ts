import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import { badFile, type Ct2Variable, type Ct2Variables, readCt2Variables } from './ct2-file.ts'
import { fromHalves, toHalves } from './half-floats.ts'
import { makeMelFilters, SPECTRUM } from './mel-filters.ts'
import { readWords } from './vocabulary.ts'
import { listWhisperWeights, type WhisperWeights } from './whisper-weights.ts'

const MAGIC = 0x67676d6c
const HALF_FILE = 1
const F32 = 0
const F16 = 1
const MAX_TOKENIZER_BYTES = 64 * 1024 * 1024
const MAX_LAYERS = 256
/** Bands of the spectrum that backends take. Models have 80 or 128. */
const MAX_MELS = 256
const CHUNK_BYTES = 1024 * 1024

/**
 * Converts a folder of faster-whisper (`model.bin` of CTranslate2 with `tokenizer.json`) to a ggml file, as whisper.cpp
 * reads it. The file is written in pieces, and appears when it is complete.
 *
 * @returns its size in bytes
 * @throws {SvcError} `unprocessable`, code `bad_model_file`, for a folder that is not one, is damaged, or has weights of
 *   other types than float16 and float32; of `writeFileAtomic`; the signal's reason once it is aborted
 */
export async function convertWhisper(folder: string, target: string, signal: AbortSignal): Promise<number> {
  const tokenizer = await readTokenizer(join(folder, 'tokenizer.json'))
  const fd = openModel(join(folder, 'model.bin'))
  try {
    const variables = readCt2Variables(fd, fstatSync(fd).size)
    await write(target, writeWhisper({ fd, variables, tokenizer, signal }))
    return (await stat(target)).size
  } finally {
    closeSync(fd)
  }
}

/** Writes a file. @throws the error of the content, if that is what failed */
async function write(target: string, content: Generator<Uint8Array>): Promise<void> {
  let fault: { readonly error: unknown } | undefined
  const watched = (function* () {
    try {
      yield* content
    } catch (error) {
      fault = { error }
      throw error
    }
  })()
  await writeFileAtomic(target, watched, { mode: 0o644 }).catch((error: unknown) => {
    throw fault === undefined ? error : fault.error
  })
}

async function readTokenizer(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() !== true) throw badFile('the folder has no tokenizer.json')
  if (found.size > MAX_TOKENIZER_BYTES) throw badFile('tokenizer.json is too large')
  return await readFile(path, 'utf8')
}

function openModel(path: string): number {
  try {
    return openSync(path, 'r')
  } catch {
    throw badFile('the folder has no model.bin that can be read')
  }
}

interface Source {
  readonly fd: number
  readonly variables: Ct2Variables
  readonly tokenizer: string
  readonly signal: AbortSignal
}

/** The bytes of the ggml file. Everything is looked up before the first of them. */
function* writeWhisper({ fd, variables, tokenizer, signal }: Source): Generator<Uint8Array> {
  const dimension = (name: string, index: number): number => find(variables, name).shape[index] ?? 0
  const heads = (side: string): number => readScalar(fd, find(variables, `${side}/num_heads`))
  const entries = dimension('decoder/embeddings/weight', 0)
  const mels = dimension('encoder/conv1/weight', 1)
  const layers = { audio: countLayers(variables, 'encoder'), text: countLayers(variables, 'decoder') }
  const words = readWords(tokenizer, entries)
  const weights = listWhisperWeights(layers.audio, layers.text).map((each) => {
    return { ...each, source: find(variables, each.variable) }
  })
  for (const { variable, part, source } of weights) checkWeights(variable, part.of, source)
  if (mels > MAX_MELS) throw badFile(`model.bin hears ${mels} bands, more than ${MAX_MELS}`)
  const positions = 'position_encodings/encodings'
  yield toInts(
    ...[MAGIC, entries],
    ...[dimension(`encoder/${positions}`, 0), dimension('encoder/conv1/weight', 0), heads('encoder'), layers.audio],
    ...[dimension(`decoder/${positions}`, 0), dimension('decoder/embeddings/weight', 1), heads('decoder'), layers.text],
    ...[mels, HALF_FILE],
  )
  yield toInts(mels, SPECTRUM)
  yield new Uint8Array(makeMelFilters(mels).buffer)
  yield toInts(words.length)
  yield Buffer.concat(words.flatMap((word) => [toInts(word.length), word]))
  for (const each of weights) {
    signal.throwIfAborted()
    yield* writeWeights(fd, each)
  }
}

function* writeWeights(
  fd: number,
  { name, part, isHalf, isColumn, source }: WhisperWeights & { readonly source: Ct2Variable },
): Generator<Uint8Array> {
  const [first = 1, ...rest] = source.shape
  const shape = [first / part.of, ...rest, ...(isColumn ? [1] : [])]
  yield toInts(shape.length, name.length, isHalf ? F16 : F32, ...shape.reverse())
  yield Buffer.from(name)
  const bytes = source.bytes / part.of
  const start = source.offset + part.index * bytes
  for (let done = 0; done < bytes; done += CHUNK_BYTES) {
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, bytes - done))
    if (readSync(fd, chunk, 0, chunk.length, start + done) < chunk.length) throw badFile('model.bin is cut off')
    if (isHalf === (source.type === 'float16')) yield chunk
    else yield isHalf ? toHalves(chunk) : fromHalves(chunk)
  }
}

function find(variables: Ct2Variables, name: string): Ct2Variable {
  const variable = variables.get(name)
  if (variable === undefined) throw badFile(`model.bin has no ${name}`)
  return variable
}

function checkWeights(name: string, parts: number, { type, shape }: Ct2Variable): void {
  if (type !== 'float16' && type !== 'float32') {
    throw badFile(`model.bin has ${name} as ${type}: convert a float16 or float32 model, which is not quantized`)
  }
  if (shape.some((length) => length < 1)) throw badFile(`model.bin has an empty ${name}`)
  if ((shape[0] ?? 1) % parts !== 0) throw badFile(`model.bin has ${name} in a shape without ${parts} equal parts`)
}

/** A number of 8, 16 or 32 bits. */
function readScalar(fd: number, { offset, bytes }: Ct2Variable): number {
  if (bytes !== 1 && bytes !== 2 && bytes !== 4) throw badFile('model.bin has no number of heads')
  const buffer = Buffer.alloc(bytes)
  readSync(fd, buffer, 0, bytes, offset)
  return buffer.readIntLE(0, bytes)
}

function countLayers(variables: Ct2Variables, side: string): number {
  let count = 0
  while (count < MAX_LAYERS && variables.has(`${side}/layer_${count}/ffn/linear_0/weight`)) count += 1
  return count
}

function toInts(...numbers: readonly number[]): Uint8Array {
  return new Uint8Array(Int32Array.from(numbers).buffer)
}
