import { type FileHandle, open } from 'node:fs/promises'
import path from 'node:path'
import { createFileReader, type FileReader } from '../engines/whisper/file-reader.ts'
import { badModel } from '../errors.ts'

/** Facts of an ONNX file beside its graph. */
export interface OnnxHeader {
  /** Names of the inputs of the graph. */
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  /** Properties of the model. */
  readonly metadata: ReadonlyMap<string, string>
}

/** Field numbers of the messages in the file, by the name of the message. */
const MODEL = { irVersion: 1, graph: 7, metadata: 14, highest: 26 } as const
const GRAPH = { node: 1, input: 11, output: 12, highest: 16 } as const
const KEY = 1
const VALUE = 2
const VARINT = 0
const BYTES = 2
const MAX_VARINT_BYTES = 10
/** Fields of one file: the largest graphs have some hundred thousand. */
const MAX_FIELDS = 4_000_000
/** Properties and descriptions of inputs are read up to this length. */
const MAX_TEXT_BYTES = 256 * 1024
/** All of them together. */
const MAX_TEXTS_BYTES = 16 * 1024 * 1024

/**
 * Reads the header of an ONNX file, and checks that its outer structure is whole: engines may end their process on a
 * damaged file.
 *
 * @throws SpeechError `unprocessable` for anything else than a whole ONNX file
 */
export async function readOnnxHeader(file: string): Promise<OnnxHeader> {
  const handle = await open(file).catch(() => undefined)
  if (handle === undefined) throw badModel(`${path.basename(file)}: there is no such file`)
  try {
    return await readModel(handle)
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error
    throw badModel(`${path.basename(file)}: not an ONNX model, or a damaged one (${error.message})`)
  } finally {
    await handle.close()
  }
}

/** The reason why a file is not a model. */
class DamagedError extends Error {
  override readonly name = 'DamagedError'
}

interface Found {
  readonly inputs: string[]
  readonly outputs: string[]
  readonly metadata: Map<string, string>
  nodes: number
  hasVersion: boolean
}

async function readModel(handle: FileHandle): Promise<OnnxHeader> {
  const found = await handle.stat()
  if (!found.isFile() || found.size === 0) throw new DamagedError(found.isFile() ? 'it is empty' : 'it is not a file')
  const reader = createFileReader(handle, found.size)
  const facts: Found = { inputs: [], outputs: [], metadata: new Map(), nodes: 0, hasVersion: false }
  const walk: Walk = { reader, left: MAX_FIELDS, textLeft: MAX_TEXTS_BYTES }
  await walkFields(walk, { end: found.size, highest: MODEL.highest }, async ({ number, type, end }) => {
    if (number === MODEL.irVersion && type === VARINT) facts.hasVersion = true
    if (type !== BYTES) return
    if (number === MODEL.graph) await readGraph(walk, end, facts)
    if (number === MODEL.metadata) await readProperty(walk, end, facts)
  })
  if (!facts.hasVersion || facts.nodes === 0) throw new DamagedError('it has no graph')
  return facts
}

async function readGraph(walk: Walk, end: number, facts: Found): Promise<void> {
  await walkFields(walk, { end, highest: GRAPH.highest }, async (field) => {
    if (field.type !== BYTES) return
    if (field.number === GRAPH.node) facts.nodes += 1
    if (field.number === GRAPH.input) facts.inputs.push(await readKey(walk, field.end))
    if (field.number === GRAPH.output) facts.outputs.push(await readKey(walk, field.end))
  })
}

async function readProperty(walk: Walk, end: number, { metadata }: Found): Promise<void> {
  const texts = new Map<number, string>()
  await walkFields(walk, { end, highest: VALUE }, async (field) => {
    texts.set(field.number, await readText(walk, field.end))
  })
  metadata.set(texts.get(KEY) ?? '', texts.get(VALUE) ?? '')
}

/** Reads the name of an input or output, its first field. */
async function readKey(walk: Walk, end: number): Promise<string> {
  let name = ''
  await walkFields(walk, { end, highest: 16 }, async (field) => {
    if (field.number === KEY && field.type === BYTES) name = await readText(walk, field.end)
  })
  return name
}

async function readText(walk: Walk, end: number): Promise<string> {
  const { reader } = walk
  const length = end - reader.position
  if (length > MAX_TEXT_BYTES) return ''
  walk.textLeft -= length
  if (walk.textLeft < 0) throw new DamagedError('its texts are too long')
  const bytes = await reader.read(length)
  if (bytes === undefined) throw new DamagedError('it is cut off')
  return bytes.toString('utf8')
}

interface Walk {
  readonly reader: FileReader
  left: number
  textLeft: number
}

interface Field {
  readonly number: number
  readonly type: number
  /** Place in the file behind its value. */
  readonly end: number
}

/** Walks the fields of a message up to its end. What `visit` leaves of a field is stepped over. */
async function walkFields(
  walk: Walk,
  { end, highest }: { readonly end: number; readonly highest: number },
  visit: (field: Field) => Promise<void>,
): Promise<void> {
  const { reader } = walk
  while (reader.position < end) {
    walk.left -= 1
    if (walk.left < 0) throw new DamagedError('it has too many parts')
    const tag = await readVarint(reader)
    const number = Math.floor(tag / 8)
    const type = tag % 8
    if (number === 0 || number > highest) throw new DamagedError(`unknown part at byte ${reader.position}`)
    const field = { number, type, end: await findEnd(reader, type) }
    if (field.end > end) throw new DamagedError('it is cut off')
    await visit(field)
    if (!reader.skip(field.end - reader.position)) throw new DamagedError('it is cut off')
  }
}

/** Finds the place behind a value; a varint is read for that. */
async function findEnd(reader: FileReader, type: number): Promise<number> {
  if (type === VARINT) {
    await readVarint(reader)
    return reader.position
  }
  if (type === BYTES) {
    const length = await readVarint(reader)
    return reader.position + length
  }
  if (type === 1) return reader.position + 8
  if (type === 5) return reader.position + 4
  throw new DamagedError(`unknown part at byte ${reader.position}`)
}

async function readVarint(reader: FileReader): Promise<number> {
  let value = 0
  for (let index = 0; index < MAX_VARINT_BYTES; index++) {
    const byte = (await reader.read(1))?.[0]
    if (byte === undefined) throw new DamagedError('it is cut off')
    value += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) return value
  }
  throw new DamagedError(`bad number at byte ${reader.position}`)
}
