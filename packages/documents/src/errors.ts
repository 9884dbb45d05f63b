import { type ErrorKind, SvcError } from '@svc/errors'

/** Codes of {@link DocumentError}. */
export type DocumentErrorCode = 'document_limit' | 'invalid_document' | 'unsupported_document'

const KINDS: Readonly<Record<DocumentErrorCode, ErrorKind>> = {
  document_limit: 'too_large',
  invalid_document: 'invalid_request',
  unsupported_document: 'unsupported_media',
}

/**
 * Refusal of a document.
 *
 * | Code                   | Kind                | Reason                                               |
 * | ---------------------- | ------------------- | ---------------------------------------------------- |
 * | `unsupported_document` | `unsupported_media` | no reader for this type, which the message names     |
 * | `invalid_document`     | `invalid_request`   | damaged, or its bytes are not text of their encoding |
 * | `document_limit`       | `too_large`         | larger or deeper than the caller allows              |
 */
export class DocumentError extends SvcError {
  override readonly name = 'DocumentError'

  constructor(code: DocumentErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(KINDS[code], message, { ...options, code })
  }
}
