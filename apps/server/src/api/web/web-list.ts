/** Codings in which a file is stored beside itself, the smallest first. */
export const CODINGS = ['br', 'gzip'] as const
/** A coding of `Accept-Encoding`. */
export type Coding = (typeof CODINGS)[number]

/** The ends of the names of coded files. */
export const CODED_NAMES: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' }

/** Name of the list in the folder of a packed web interface. */
export const LIST_FILE = 'files.json'

/** The text of the page that takes the prefix of the server. */
export const BASE_TAG = '<base href="/">'

/** A file of the web interface. */
export interface WebFile {
  readonly type: string
  readonly codings: readonly Coding[]
  /** Changes with the content. */
  readonly tag: string
  /** Whether the name changes with the content, so that a client need not ask again. */
  readonly immutable: boolean
}

/** The files of a packed web interface by their paths below the root of the server. Nothing else is served. */
export type WebList = Readonly<Record<string, WebFile>>
