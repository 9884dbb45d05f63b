import { createReadStream } from 'node:fs'
import type { GeneratedFiles } from '../../../generated-files/generated-files.ts'
import type { GeneratedKind } from '../../../generated-files/kinds.ts'
import { toExtension } from '../../../inference/media/media-inputs.ts'
import type { MadeFile } from '../../../inference/operations/images/image-operations.ts'
import { JsonPieces } from '../../../inference/replies/json-pieces.ts'
import type { JsonResult, ReplyFacts } from '../../../inference/replies/wire-format.ts'

/** Bytes that are encoded without a pause. A multiple of three, so that the pieces of base64 need no padding. */
const PIECE_BYTES = 3 * 65_536

/** The form in which clients get files. */
export type FileForm = 'url' | 'b64_json' | 'events'

/** Parts of {@link encodeMade}. */
export interface MadeReplyOptions {
  readonly form: FileForm
  readonly kind: GeneratedKind
  /** Id of the principal who may fetch the files. */
  readonly owner: string
  readonly store: Pick<GeneratedFiles, 'checkRoom' | 'keep' | 'discard'>
  /** Gives the reply around its items. @param items one for each file, without its address or bytes */
  envelope(facts: ReplyFacts, items: readonly object[]): object
  /** Gives an item without its address or bytes. @default empty */
  readonly item?: ((index: number) => object) | undefined
  /** Gives the event of a file without its bytes. Required for the form `events`. */
  readonly event?: ((facts: ReplyFacts, file: MadeFile) => { readonly type: string }) | undefined
}

/**
 * Encodes files that a backend has made: moved into the store, or read while the reply is written. A file that cannot be
 * kept fails the request, and none is kept then.
 *
 * @throws {SvcError} `internal`, `insufficient_storage`
 */
export async function encodeMade(files: readonly MadeFile[], options: MadeReplyOptions): Promise<JsonResult> {
  const { form, envelope, item = () => ({}) } = options
  const items = files.map((_, index) => item(index))
  if (form === 'events') {
    const { event = () => ({ type: 'completed' }) } = options
    const body = (facts: ReplyFacts): JsonPieces =>
      new JsonPieces(
        writeEvents(files, (file) => event(facts, file)),
        { holdsMedia: true, mediaType: 'text/event-stream' },
      )
    return { kind: 'json', body }
  }
  if (form === 'b64_json') {
    const body = (facts: ReplyFacts): JsonPieces =>
      new JsonPieces(writeWithBytes(envelope(facts, []), items, files), { holdsMedia: true })
    return { kind: 'json', body }
  }
  const addresses = await keepAll(files, options)
  const body = (facts: ReplyFacts): object =>
    envelope(
      facts,
      items.map((one, index) => ({ ...one, url: `${facts.baseUrl}${addresses[index]}` })),
    )
  return { kind: 'json', body }
}

async function keepAll(files: readonly MadeFile[], { store, kind, owner }: MadeReplyOptions): Promise<string[]> {
  store.checkRoom(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))
  const kept: string[] = []
  try {
    for (const { path, mediaType } of files) {
      kept.push(await store.keep(path, { kind, owner, mediaType, extension: toExtension(mediaType) }))
    }
    return kept
  } catch (error) {
    await Promise.allSettled(kept.map((address) => store.discard(address)))
    throw error
  }
}

/** Writes the reply with its items at the end, the bytes of one file after the other. */
async function* writeWithBytes(
  around: object,
  items: readonly object[],
  files: readonly MadeFile[],
): AsyncGenerator<string> {
  const { data: _, ...rest } = around as { readonly data: unknown }
  yield `${JSON.stringify(rest).slice(0, -1)},"data":[`
  for (const [index, file] of files.entries()) {
    const open = JSON.stringify({ ...items[index], b64_json: '' }).slice(0, -2)
    yield `${index === 0 ? '' : ','}${open}`
    yield* encodeFile(file)
    yield '"}'
  }
  yield ']}'
}

/** Writes an event for each file. */
async function* writeEvents(
  files: readonly MadeFile[],
  toEvent: (file: MadeFile) => { readonly type: string },
): AsyncGenerator<string> {
  for (const file of files) {
    const event = toEvent(file)
    yield `event: ${event.type}\ndata: ${JSON.stringify({ ...event, b64_json: '' }).slice(0, -2)}`
    yield* encodeFile(file)
    yield '"}\n\n'
  }
}

/** Reads exactly the bytes that were measured: a backend may still write. */
async function* encodeFile({ path, sizeBytes }: MadeFile): AsyncGenerator<string> {
  let rest = Buffer.alloc(0)
  const pieces = createReadStream(path, { end: sizeBytes - 1, highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    const whole = bytes.length - (bytes.length % 3)
    yield bytes.toString('base64', 0, whole)
    rest = Buffer.from(bytes.subarray(whole))
  }
  yield rest.toString('base64')
}
