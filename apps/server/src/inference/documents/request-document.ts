import { type JsonDocument, type Splice, spliceCooperatively } from '@svc/json'
import type { MaybePromise } from '../../ports.ts'
import type { FormFile, HeldForm } from './form.ts'

/**
 * The document of a request: a JSON body, or a form. The filter, the router, estimates and traces read its texts and need
 * not know which one it is.
 */
export interface RequestDocument {
  readonly kind: 'json' | 'form'
  /** The files of a form, in its order. */
  readonly files: readonly FormFile[]
  /** Gives the texts as a token tree: a JSON body itself, or the text fields of a form as one object. */
  texts(): JsonDocument
}

const NO_FILES: readonly FormFile[] = []

/** A JSON body. */
export class JsonBody implements RequestDocument {
  readonly kind = 'json'
  readonly files = NO_FILES
  readonly #document: JsonDocument

  constructor(document: JsonDocument) {
    this.#document = document
  }

  texts(): JsonDocument {
    return this.#document
  }
}

/** A form, until it is released. */
export class FormBody implements RequestDocument {
  readonly kind = 'form'
  readonly files: readonly FormFile[]
  readonly #texts: JsonDocument

  constructor({ texts, files }: Pick<HeldForm, 'texts' | 'files'>) {
    this.#texts = texts
    this.files = files
  }

  texts(): JsonDocument {
    return this.#texts
  }
}

/** Gives the files of a document with the names that the filter leaves. */
export function editFileNames(
  { files }: Pick<RequestDocument, 'files'>,
  { fileNames }: { readonly fileNames?: readonly string[] | undefined },
): readonly FormFile[] {
  if (fileNames === undefined) return files
  return files.map((file, index) => ({ ...file, filename: fileNames[index] ?? file.filename }))
}

/** Gives the texts of a document with the edits of the filter. */
export function editTexts(
  document: RequestDocument,
  splices: readonly Splice[],
  signal: AbortSignal,
): MaybePromise<JsonDocument> {
  const texts = document.texts()
  return splices.length === 0 ? texts : spliceCooperatively(texts, splices, {}, { signal })
}
