import { open } from 'node:fs/promises'
import { findDocumentType, HEAD_BYTES } from '@svc/documents'
import type { StoredFile, StoredFiles } from '../stored-files/stored-file.ts'

/** Checks that a file has a type that can be read. @throws {DocumentError} `unsupported_document` */
export async function checkType(file: StoredFile, uploads: Pick<StoredFiles, 'locate'>): Promise<void> {
  const handle = await open(await uploads.locate(file))
  try {
    const head = new Uint8Array(HEAD_BYTES)
    const { bytesRead } = await handle.read(head, 0, HEAD_BYTES, 0)
    findDocumentType({ head: head.subarray(0, bytesRead), name: file.filename })
  } finally {
    await handle.close()
  }
}
