import { lstat, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { readSystemCode, toFileError } from '../../files/file-error.ts'
import { keepCopy } from '../../files/keep-copy.ts'
import { readRegularFile } from '../../files/read-regular-file.ts'
import { writeFileAtomic } from '../../files/write-file-atomic.ts'
import { toRevision } from './shared-documents.ts'

/** A file as a document has it. */
export interface EncodedFile {
  /** The text, or base64 for bytes that are not text. */
  readonly content: string
  readonly isBase64: boolean
  /** SHA-256 of {@link content}, hexadecimal. */
  readonly revision: string
}

/** The files of one folder that are shared. */
export interface LocalFolder {
  /** Changes when the folder is another one, such as after a lost mount; undefined without the folder. */
  identify(): Promise<string | undefined>
  /**
   * The revision of every shared file by its name. A link, or a file that is too large, has none, and is left alone.
   *
   * @throws the system's error when the folder cannot be read
   */
  scan(): Promise<ReadonlyMap<string, string | undefined>>
  /** Reads a file; undefined without one. @throws the system's error */
  read(name: string): Promise<EncodedFile | undefined>
  /** Writes a file atomically. @throws {SvcError} `disk_full`, `file_failed` */
  write(name: string, file: Pick<EncodedFile, 'content' | 'isBase64'>): Promise<void>
  /** Deletes a file. @throws {SvcError} `file_failed` */
  remove(name: string): Promise<void>
  /** Copies a file beside it. @returns the path of the copy @throws {SvcError} `disk_full`, `file_failed` */
  keep(name: string): Promise<string | undefined>
}

/** Options of {@link openLocalFolder}. */
export interface LocalFolderOptions {
  readonly folder: string
  /** Which names are shared. */
  readonly accepts: (name: string) => boolean
  readonly maxBytes: number
  /** Permissions of written files. */
  readonly mode: number
  /** Wall time, milliseconds since the epoch. */
  readonly now: () => number
}

/** Changes of a file closer together than this may leave its times as they are. */
const SETTLING_MS = 2000

/** Opens the shared files of a folder. */
export function openLocalFolder({ folder, accepts, maxBytes, mode, now }: LocalFolderOptions): LocalFolder {
  let known = new Map<string, { readonly signature: string; readonly revision: string | undefined }>()

  async function read(name: string): Promise<EncodedFile | undefined> {
    const bytes = await readRegularFile(join(folder, name), { maxBytes, followsLink: false })
    return typeof bytes === 'string' ? undefined : encode(bytes)
  }

  /** The revision of a file, read only where its times have changed. */
  async function look(name: string): Promise<{ readonly signature: string; readonly revision: string | undefined }> {
    const found = await lstat(join(folder, name), { bigint: true })
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = found
    const isSettled = now() - Number(ctimeMs) > SETTLING_MS
    const signature = isSettled ? [dev, ino, size, mtimeNs, ctimeNs].join(':') : ''
    const before = known.get(name)
    if (before !== undefined && signature !== '' && before.signature === signature) return before
    return { signature, revision: found.isFile() ? (await read(name))?.revision : undefined }
  }

  return {
    identify: () =>
      stat(folder, { bigint: true }).then(
        ({ ino, birthtimeMs }) => `${ino}:${birthtimeMs}`,
        () => undefined,
      ),
    async scan() {
      const next: typeof known = new Map()
      for (const name of await readdir(folder)) {
        if (!accepts(name)) continue
        const found = await look(name).catch((error: unknown) => {
          if (readSystemCode(error) === 'ENOENT') return undefined
          // A file that nobody can read now is left alone.
          return { signature: '', revision: undefined }
        })
        if (found !== undefined) next.set(name, found)
      }
      known = next
      return new Map([...next].map(([name, { revision }]) => [name, revision]))
    },
    read: (name) =>
      read(name).catch((error: unknown) => {
        if (readSystemCode(error) === 'ENOENT') return undefined
        throw error
      }),
    write: (name, { content, isBase64 }) =>
      writeFileAtomic(join(folder, name), isBase64 ? Buffer.from(content, 'base64') : content, { mode }),
    async remove(name) {
      await unlink(join(folder, name)).catch((error: unknown) => {
        if (readSystemCode(error) !== 'ENOENT') throw toFileError(error, 'deleted', name)
      })
    },
    keep: (name) => keepCopy(join(folder, name), { word: 'replaced', now: now() }),
  }
}

function encode(bytes: Buffer): EncodedFile {
  const text = bytes.toString('utf8')
  // PostgreSQL takes no NUL in a text.
  const isText = !text.includes('\0') && Buffer.from(text).equals(bytes)
  const content = isText ? text : bytes.toString('base64')
  return { content, isBase64: !isText, revision: toRevision(content) }
}
