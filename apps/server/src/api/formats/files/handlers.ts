import { createReadStream } from 'node:fs'
import { FILE_PURPOSES, type FileObject } from '@svc/wire/openai'
import type { Documents } from '../../../document-stores/documents.ts'
import type { Call } from '../../../http/call.ts'
import type { CompressionPolicy } from '../../../http/compression.ts'
import type { FormReader } from '../../../http/forms/form-reader.ts'
import { ALREADY_SENT, type HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { createReplyWriter } from '../../../http/reply-writer.ts'
import { unparsable } from '../../../inference/documents/unparsable.ts'
import { writeContent } from '../../../inference/replies/content.ts'
import { fileNotFound } from '../../../stored-files/file-errors.ts'
import type { StoredFile } from '../../../stored-files/stored-file.ts'
import { readPageQuery, toReader, writePage } from './page-query.ts'
import { receiveUpload } from './upload.ts'

/** Parts of the routes of files. */
export interface FileRouteParts {
  readonly documents: { open(): Promise<Documents> }
  readonly forms: Pick<FormReader, 'read'>
  readonly compression: CompressionPolicy
}

/** Answers `POST /v1/files`. */
export async function uploadFile(call: Call, { documents, forms }: FileRouteParts): Promise<HttpReply> {
  return json(writeFile(await receiveUpload(call, forms, () => documents.open())))
}

/** Answers `GET /v1/files`. */
export async function listFiles(call: Call, { documents }: FileRouteParts): Promise<HttpReply> {
  const query = readPageQuery(call)
  const purpose = call.query('purpose') || undefined
  if (purpose !== undefined && !(FILE_PURPOSES as readonly string[]).includes(purpose)) {
    throw unparsable('purpose: is not a purpose of files', 'purpose')
  }
  const { uploads } = await documents.open()
  const { items, hasMore } = await uploads.list({ ...query, purpose }, toReader(call))
  return json(writePage(items.map(writeFile), hasMore))
}

/** Answers `GET /v1/files/:file_id`. */
export async function getFile(call: Call, parts: FileRouteParts): Promise<HttpReply> {
  return json(writeFile(await findFile(call, parts)))
}

/** Answers `GET /v1/files/:file_id/content`. Browsers save the bytes and never show them as a page. */
export async function getFileContent(call: Call, parts: FileRouteParts): Promise<HttpReply> {
  const file = await findFile(call, parts)
  const { uploads } = await parts.documents.open()
  const path = await uploads.locate(file)
  const content = {
    mediaType: 'application/octet-stream',
    length: file.sizeBytes,
    headers: {
      'content-disposition': `attachment; filename*=UTF-8''${encodeName(file.filename)}`,
      'x-content-type-options': 'nosniff',
    },
    hasRanges: true,
    read: (range?: { readonly start: number; readonly end: number }) =>
      createReadStream(path, range && { start: range.start, end: range.end - 1 }),
  }
  await writeContent(createReplyWriter(call, { compression: parts.compression }), content, { request: call })
  return ALREADY_SENT
}

/** Answers `DELETE /v1/files/:file_id`. */
export async function deleteFile(call: Call, parts: FileRouteParts): Promise<HttpReply> {
  const file = await findFile(call, parts)
  const { uploads } = await parts.documents.open()
  await uploads.remove([file])
  return json({ id: file.id, object: 'file', deleted: true })
}

async function findFile(call: Call, { documents }: FileRouteParts): Promise<StoredFile> {
  const id = call.param('file_id')
  const { uploads } = await documents.open()
  const file = await uploads.find(id, toReader(call))
  if (file === undefined) throw fileNotFound(id)
  return file
}

/** Encodes a name for a header (RFC 8187). */
function encodeName(name: string): string {
  return encodeURIComponent(name).replaceAll(/['()*]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

function writeFile({ id, sizeBytes, createdAt, expiresAt, filename, purpose }: StoredFile): FileObject {
  return {
    id,
    object: 'file',
    bytes: sizeBytes,
    created_at: Math.floor(createdAt / 1000),
    ...(expiresAt === null ? {} : { expires_at: Math.floor(expiresAt / 1000) }),
    filename,
    purpose,
    status: 'processed',
  }
}
