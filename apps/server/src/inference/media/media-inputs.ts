import { rename, rm } from 'node:fs/promises'
import { toFileError } from '../../files/file-error.ts'
import type { PrivateFiles } from '../../files/private-files.ts'
import type { Attachment, MediaKind, Medium } from './attachment.ts'
import type { MediaReader, MediaReading } from './media-reader.ts'

/** Media that a body names and that a backend reads from a file or in its message. */
export interface MediaInputs {
  /**
   * Reads a medium: base64, a data URL, or an address that is fetched.
   *
   * @param accepts the kinds that the route takes
   * @throws {SvcError} as {@link MediaReading.read}
   */
  read(attachment: Attachment, accepts: readonly MediaKind[]): Promise<Medium>
  /**
   * Writes a medium to a private file, which exists until the reply has ended.
   *
   * @returns its path
   * @throws {SvcError} `insufficient_storage`, `internal`
   */
  toFile(medium: Medium): Promise<string>
  /**
   * Writes bytes to a private file, which exists until the reply has ended.
   *
   * @param extension the end of its name, with the dot
   * @returns its path
   * @throws {SvcError} `insufficient_storage`, `internal`
   */
  writeFile(pieces: Iterable<Uint8Array>, extension: string): Promise<string>
  /**
   * Gives a file of a form a name that ends as its type does, until the reply has ended.
   *
   * @returns its new path
   * @throws {SvcError} `internal`
   */
  rename(path: string, mediaType: string): Promise<string>
}

/** Options of {@link openMediaInputs}. */
export interface MediaInputsOptions {
  readonly reader: MediaReader
  readonly files: Pick<PrivateFiles, 'create'>
  /** Gives back what the media hold. */
  readonly cleanup: { add(step: () => void): void }
  readonly signal: AbortSignal
}

/** Ends of file names, for backends that read the type of a file there. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'image/bmp': '.bmp',
  'image/tiff': '.tiff',
  'image/avif': '.avif',
  'image/heic': '.heic',
  'audio/wav': '.wav',
  'audio/flac': '.flac',
  'audio/aiff': '.aiff',
  'audio/amr': '.amr',
  'audio/mpeg': '.mp3',
  'audio/aac': '.aac',
  'audio/mp4': '.m4a',
  'audio/ogg': '.ogg',
  'audio/x-caf': '.caf',
  'audio/x-ms-wma': '.wma',
  'audio/webm': '.webm',
  'video/x-matroska': '.mkv',
  'video/webm': '.webm',
  'video/mp4': '.mp4',
}

/** Gives the end of the names of files of a media type, with the dot; `.bin` for others. */
export function toExtension(mediaType: string): string {
  return EXTENSIONS[mediaType] ?? '.bin'
}

/** Opens the media of one request. Nothing is held before the first one. */
export function openMediaInputs(options: MediaInputsOptions): MediaInputs {
  return new RequestMediaInputs(options)
}

/** Nearly every request has no media, so its inputs are one object without closures. */
class RequestMediaInputs implements MediaInputs {
  readonly #options: MediaInputsOptions
  #reading: MediaReading | undefined

  constructor(options: MediaInputsOptions) {
    this.#options = options
  }

  read(attachment: Attachment, accepts: readonly MediaKind[]): Promise<Medium> {
    return this.#open().read(attachment, { accepts: new Set(accepts), signal: this.#options.signal })
  }

  toFile({ mediaType, base64 }: Medium): Promise<string> {
    return this.writeFile([Buffer.from(base64, 'base64')], toExtension(mediaType))
  }

  async writeFile(pieces: Iterable<Uint8Array>, extension: string): Promise<string> {
    const file = await this.#options.files.create({ extension })
    this.#options.cleanup.add(() => void file.remove())
    for (const piece of pieces) await file.append(piece)
    await file.close()
    return file.path
  }

  async rename(path: string, mediaType: string): Promise<string> {
    const named = `${path}${toExtension(mediaType)}`
    this.#options.cleanup.add(() => void rm(named, { force: true }).catch(() => undefined))
    try {
      await rename(path, named)
    } catch (error) {
      throw toFileError(error, 'written', named)
    }
    return named
  }

  #open(): MediaReading {
    if (this.#reading !== undefined) return this.#reading
    const opened = this.#options.reader.open()
    this.#options.cleanup.add(() => opened.release())
    this.#reading = opened
    return opened
  }
}
