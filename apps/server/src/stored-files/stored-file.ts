import type { Page, PageQuery } from '../db/page.ts'

/** A file that a user has uploaded. */
export interface StoredFile {
  /** `file-` and 44 hexadecimal digits: its time, and 128 random bits. */
  readonly id: string
  /** Id of the principal that uploaded it. */
  readonly owner: string
  /** Id of the server that has its bytes. */
  readonly server: string
  /** The name that the client gave. It is not safe as a path. */
  readonly filename: string
  readonly purpose: string
  readonly sizeBytes: number
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Milliseconds since the epoch; null = never. */
  readonly expiresAt: number | null
}

/** The caller that asks. */
export interface Reader {
  readonly id: string
  /** Whether the caller sees what belongs to others. */
  readonly isAdmin: boolean
}

/** Facts of a file that is kept. */
export interface FileDraft extends Pick<StoredFile, 'owner' | 'filename' | 'purpose' | 'sizeBytes'> {
  /** Milliseconds after which it expires. @default never */
  readonly expiresAfterMs?: number | undefined
}

/** The files of users. */
export interface StoredFiles {
  /**
   * Moves a finished file into the store.
   *
   * @param path a private temporary file
   * @throws {SvcError} `insufficient_storage` when the files of its owner are too large together, or the disk is full
   */
  keep(path: string, draft: FileDraft): Promise<StoredFile>
  /** Finds a file that the reader may see. Another reader's file is as absent as an unknown one. */
  find(id: string, reader: Reader): Promise<StoredFile | undefined>
  /**
   * Lists files that the reader may see.
   *
   * @throws {SvcError} `invalid_request` for a cursor that is not the id of a file
   */
  list(query: PageQuery & { readonly purpose?: string | undefined }, reader: Reader): Promise<Page<StoredFile>>
  /**
   * Gives the path of the bytes.
   *
   * @throws {SvcError} `conflict` when only another server has them; `not_found` when they are gone
   */
  locate(file: StoredFile): Promise<string>
  /** Removes files from all vector stores, then their rows, then their bytes. */
  remove(files: readonly StoredFile[]): Promise<void>
  /** Removes files that have expired. */
  trim(): Promise<void>
  /**
   * Removes bytes that no row names: a killed server has left them, or another server has removed their row. A folder
   * of another database stays as it is.
   *
   * @param leastAgeMs younger ones may be those of an upload whose row follows. @default 0
   */
  sweep(leastAgeMs?: number): Promise<void>
}
