import { DocumentError, type DocumentErrorCode } from '@svc/documents'
import { SvcError } from '@svc/errors'

/** The first line of what the process of a reader writes. The text follows. */
export type ReaderReply =
  | { readonly ok: true; readonly textBytes: number }
  | { readonly ok: false; readonly code?: DocumentErrorCode; readonly message: string }

/**
 * Reads what a process has written. A process that was killed in the middle has written a part of it.
 *
 * @param note the end of its error output
 * @throws {DocumentError} its reason; {@link SvcError} for faults of the reader
 */
export function readOutput(output: Buffer, note: string, { maxMs }: { readonly maxMs: number }): string {
  const lineEnd = output.indexOf(0x0a)
  if (lineEnd === -1) throw toFailure(note, maxMs)
  const reply = JSON.parse(output.toString('utf8', 0, lineEnd)) as ReaderReply
  if (reply.ok) {
    const text = output.subarray(lineEnd + 1)
    if (text.length !== reply.textBytes) throw toFailure(note, maxMs)
    return text.toString('utf8')
  }
  if (reply.code !== undefined) throw new DocumentError(reply.code, reply.message)
  throw new SvcError('internal', 'the document could not be read', { cause: new Error(reply.message) })
}

/** The failure of a process that has ended without a whole reply. */
function toFailure(note: string, maxMs: number): SvcError {
  if (note.endsWith('time')) return tooLong(maxMs)
  if (note.endsWith('memory') || note.includes('heap out of memory')) {
    return new DocumentError('document_limit', 'the document takes too much memory to read')
  }
  return new DocumentError('invalid_document', 'the document ends its reader', { cause: new Error(note) })
}

/** The refusal of a document that takes longer than its time. */
export function tooLong(maxMs: number): DocumentError {
  return new DocumentError('document_limit', `the document takes more than ${maxMs / 1000} s to read`)
}
