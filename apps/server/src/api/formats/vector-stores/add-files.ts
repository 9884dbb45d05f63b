import { DocumentError } from '@svc/documents'
import type { ChunkingStrategy, FileAttributes } from '@svc/wire/openai'
import { checkType } from '../../../document-stores/check-type.ts'
import type { FileAddition } from '../../../document-stores/document-files.ts'
import type { DocumentFile, DocumentStore } from '../../../document-stores/document-store.ts'
import type { Documents } from '../../../document-stores/documents.ts'
import type { Call } from '../../../http/call.ts'
import { unparsable } from '../../../inference/documents/unparsable.ts'
import { fileNotFound } from '../../../stored-files/file-errors.ts'
import type { StoredFile } from '../../../stored-files/stored-file.ts'
import { toReader } from '../files/page-query.ts'
import { chooseChunkSizes, type VectorStoreParts } from './parts.ts'

/** A file as a body names it. */
interface NamedFile {
  readonly file_id: string
  readonly attributes?: FileAttributes | null | undefined
  readonly chunking_strategy?: ChunkingStrategy | null | undefined
}

type ChunkSizes = ReturnType<typeof chooseChunkSizes>

/** The store that files are added to. */
interface AddingParts {
  /** Name of its model; empty for the server's choice. */
  readonly model: string
  readonly parts: VectorStoreParts
}

/** Files as a body names them: by their ids, or each in its own way. */
interface NamedFiles extends Omit<NamedFile, 'file_id'> {
  readonly file_ids?: readonly string[] | null | undefined
  readonly files?: readonly NamedFile[] | null | undefined
}

/**
 * Reads one file that is added.
 *
 * @throws {SvcError} `not_found`; `unsupported_media` naming its type
 */
export async function readAddition(call: Call, named: NamedFile, { model, parts }: AddingParts): Promise<FileAddition> {
  const documents = await parts.documents.open()
  const file = await findFile(call, named.file_id, documents)
  await checkType(file, documents.uploads)
  return toAddition(file, named, chooseChunkSizes(model, parts))
}

/**
 * Reads files that are added together. A file of a type that cannot be read fails alone.
 *
 * @throws {SvcError} `not_found`; `invalid_request` for a file that is named twice
 */
export async function readAdditions(
  call: Call,
  { file_ids: ids, files, ...common }: NamedFiles,
  { model, parts }: AddingParts,
): Promise<readonly FileAddition[]> {
  const documents = await parts.documents.open()
  const named = files ?? (ids ?? []).map((id) => ({ file_id: id, ...common }))
  const sizes = chooseChunkSizes(model, parts)
  const additions = new Map<string, FileAddition>()
  for (const each of named) {
    const file = await findFile(call, each.file_id, documents)
    if (additions.has(file.id)) throw unparsable('file_ids: a file is named twice', files ? 'files' : 'file_ids')
    additions.set(file.id, await toCheckedAddition(file, each, { sizes, documents }))
  }
  return [...additions.values()]
}

/** Adds files to a store, and begins to index them. */
export async function addFiles(
  call: Call,
  store: DocumentStore,
  additions: readonly FileAddition[],
  parts: VectorStoreParts,
): Promise<readonly DocumentFile[]> {
  const { files, indexer } = await parts.documents.open()
  const added = await files.add(store.id, additions, call.principal.id)
  indexer.wake()
  return added
}

async function findFile(call: Call, id: string, { uploads }: Documents): Promise<StoredFile> {
  const file = await uploads.find(id, toReader(call))
  if (file === undefined) throw fileNotFound(id)
  return file
}

async function toCheckedAddition(
  file: StoredFile,
  named: NamedFile,
  { sizes, documents }: { readonly sizes: ChunkSizes; readonly documents: Documents },
): Promise<FileAddition> {
  try {
    await checkType(file, documents.uploads)
    return toAddition(file, named, sizes)
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    return { ...toAddition(file, named, sizes), fault: { code: 'unsupported_file', message: error.message } }
  }
}

function toAddition(
  file: StoredFile,
  { attributes, chunking_strategy: strategy }: NamedFile,
  usual: ChunkSizes,
): FileAddition {
  const sizes =
    strategy?.type === 'static'
      ? { chunkSize: strategy.static.max_chunk_size_tokens, chunkOverlap: strategy.static.chunk_overlap_tokens }
      : { chunkSize: usual.size, chunkOverlap: usual.overlap }
  return { file, attributes: attributes ?? {}, ...sizes }
}
