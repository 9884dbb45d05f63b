import type { JsonDocument } from '@svc/json'

/** A file that a route takes in a form. */
export interface FileRule {
  /** Largest file. @default the largest body of the server */
  readonly maxBytes?: number | undefined
  /** Most files in fields of this name. @default 1 */
  readonly maxCount?: number | undefined
  /** Names the file in the refusal of a large one. @default the name of the field */
  readonly noun?: string | undefined
}

/** The form that a route takes. */
export interface FormRules {
  /** Files by the names of their fields. A file of another field is read and dropped. */
  readonly files: Readonly<Record<string, FileRule>>
  /** Largest text of a field, bytes. @default 1 MiB */
  readonly maxFieldBytes?: number | undefined
}

/** A file of a form. It exists until the form is released. */
export interface FormFile {
  /** The name of its field. */
  readonly field: string
  /** The name that the client gave. It is not safe as a path. */
  readonly filename: string
  /** The media type that the client gave, in lower case without parameters; empty when it gave none. */
  readonly mediaType: string
  readonly sizeBytes: number
  /** A private temporary file. */
  readonly path: string
}

/** A form that has arrived. */
export interface HeldForm {
  /**
   * The texts of the fields as one object of strings, so that the readers of JSON bodies read forms too. A field whose
   * name ends in `[]` is a list of strings; any other name occurs once.
   */
  readonly texts: JsonDocument
  /** The files in the order of the form. */
  readonly files: readonly FormFile[]
  /** Gives the memory back and removes the files. */
  readonly release: () => void
}
