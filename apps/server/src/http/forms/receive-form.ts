import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { Dicer } from '@fastify/busboy'
import { SvcError } from '@svc/errors'
import { type JsonDocument, parseJsonCooperatively } from '@svc/json'
import type { PrivateFile, PrivateFiles } from '../../files/private-files.ts'
import type { FileRule, FormFile, FormRules, HeldForm } from '../../inference/documents/form.ts'
import { unparsable } from '../../inference/documents/unparsable.ts'
import type { AbortSignalLike } from '../../ports.ts'
import { tooManyBodies } from '../body.ts'
import type { ByteMeter } from '../byte-meter.ts'
import { FieldText, FormTexts, measureFrame } from './form-texts.ts'
import { type PartHead, readBoundary, readPartHead } from './part-head.ts'
import { keepRawHeads, type RawHead } from './raw-heads.ts'

/** Most parts of a form (threats IN-10). */
const MAX_PARTS = 100
/** Largest head of a part, bytes. */
const MAX_HEAD_BYTES = 16 * 1024
/** Bytes before the first boundary. Clients write none, or a line for old mail programs. */
const MAX_PREAMBLE_BYTES = 16 * 1024
const MAX_FIELD_BYTES = 1024 * 1024

/** Options of {@link receiveForm}. */
export interface ReceiveOptions {
  readonly contentType: string | undefined
  readonly rules: FormRules
  /** Largest file where its rule names no other size. */
  readonly maxFileBytes: number
  readonly files: PrivateFiles
  /** Counts the texts in memory. */
  readonly memory: ByteMeter
  /** Counts the files on disk. */
  readonly disk: ByteMeter
  /** Ends the reading of the texts after the last byte. The bytes end by themselves. */
  readonly abort: Pick<AbortSignalLike, 'throwIfAborted'>
}

/**
 * Reads a form from its bytes. Texts stay in memory, files go to private temporary files as they arrive. A form that
 * fails leaves nothing.
 *
 * @throws {SvcError} `invalid_request`, `too_large`, `unsupported_media`, `unavailable`, `insufficient_storage`, and the
 *   failure of the bytes
 */
export async function receiveForm(bytes: AsyncIterable<Uint8Array>, options: ReceiveOptions): Promise<HeldForm> {
  const receiver = new FormReceiver(options)
  try {
    return await receiver.receive(bytes)
  } catch (error) {
    await receiver.abandon()
    throw error
  }
}

/** A part that has arrived whole. */
type Part =
  | { readonly kind: 'text'; readonly name: string; readonly text: Uint8Array }
  | { readonly kind: 'file'; readonly file: FormFile; readonly stored: PrivateFile }

/** Receives one form. */
class FormReceiver {
  readonly #options: ReceiveOptions
  readonly #parser: Dicer
  /**
   * Parts in the order of the form. A place is empty until its part has arrived, and stays empty for a dropped file.
   */
  readonly #parts: (Part | undefined)[] = []
  /** Number of files by field. */
  readonly #counts = new Map<string, number>()
  /** The parts under way. The parser begins the next part while the end of the last one is being written. */
  readonly #reading = new Set<Promise<void>>()
  #part: Readable | undefined
  /** Whether the last part has a head. */
  #hasHead = true
  #isFinished = false
  #failure: { readonly error: unknown } | undefined
  #wake = (): void => undefined

  constructor(options: ReceiveOptions) {
    this.#options = options
    // A variable, because the types of the parser do not list the largest head.
    const config = { boundary: readBoundary(options.contentType), maxHeaderSize: MAX_HEAD_BYTES }
    this.#parser = new Dicer(config)
    keepRawHeads(this.#parser)
    this.#parser.on('preamble', (preamble) => this.#watchPreamble(preamble))
    this.#parser.on('part', (part) => this.#begin(part))
    this.#parser.on('finish', () => {
      this.#isFinished = true
      this.#wake()
    })
    this.#parser.on('error', () => this.#fail(cutOff()))
  }

  async receive(bytes: AsyncIterable<Uint8Array>): Promise<HeldForm> {
    for await (const piece of bytes) {
      // Bytes after the last boundary are dropped.
      if (this.#isFinished) continue
      await this.#wait((done) => this.#parser.write(piece, done))
      // The parts read what the parser has found, so that a fault ends the form before more of it arrives.
      await setImmediate()
      this.#throwFailure()
    }
    if (!this.#isFinished) await this.#wait(() => this.#parser.end())
    this.#checkHead()
    await this.#wait((done) => void Promise.all(this.#reading).then(done))
    return { texts: await this.#toDocument(), files: this.#listFiles(), release: this.#release }
  }

  /** Removes everything that has arrived. */
  async abandon(): Promise<void> {
    this.#part?.destroy()
    await Promise.all(this.#reading)
    this.#release()
  }

  readonly #release = (): void => {
    const { memory, disk } = this.#options
    const removals = this.#parts.flatMap((part) => (part?.kind === 'file' ? [part.stored.remove()] : []))
    memory.release()
    void Promise.all(removals).then(disk.release)
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#wake()
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** Waits until a step is done, the form has ended, or has failed. */
  async #wait(start: (done: () => void) => void): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      start(resolve)
      if (this.#failure !== undefined) resolve()
    })
    this.#throwFailure()
  }

  /** Moves the texts out of the parts, and reads them as a token tree. */
  #toDocument(): Promise<JsonDocument> {
    const texts = new FormTexts()
    for (const [place, part] of this.#parts.entries()) {
      if (part?.kind !== 'text') continue
      texts.add(part.name, part.text)
      this.#parts[place] = undefined
    }
    return parseJsonCooperatively(texts.encode(), {}, { signal: this.#options.abort })
  }

  #listFiles(): FormFile[] {
    return this.#parts.flatMap((part) => (part?.kind === 'file' ? [part.file] : []))
  }

  #watchPreamble(preamble: Readable): void {
    let bytes = 0
    preamble.on('error', () => undefined)
    preamble.on('data', (piece: Uint8Array) => {
      bytes += piece.length
      if (bytes > MAX_PREAMBLE_BYTES) this.#fail(unparsable('the form does not begin with its boundary'))
    })
  }

  #begin(part: Readable): void {
    this.#part = part
    // The parser reports a cut part too.
    part.on('error', () => undefined)
    try {
      this.#checkHead()
      if (this.#parts.length === MAX_PARTS) throw unparsable(`a form may have ${MAX_PARTS} parts`)
    } catch (error) {
      this.#fail(error)
      part.resume()
      return
    }
    const place = this.#parts.push(undefined) - 1
    this.#hasHead = false
    part.once('header', (head: RawHead) => {
      this.#hasHead = true
      const reading = this.#read(part, head)
        .then((read) => {
          this.#parts[place] = read
        })
        .catch((error: unknown) => {
          this.#fail(error)
          part.resume()
        })
        .finally(() => this.#reading.delete(reading))
      this.#reading.add(reading)
    })
  }

  #checkHead(): void {
    if (!this.#hasHead) throw unparsable('a part has no complete head')
  }

  async #read(part: Readable, { text = '' }: RawHead): Promise<Part | undefined> {
    // The parser drops the bytes above the limit.
    if (text.length >= MAX_HEAD_BYTES) throw unparsable(`the head of a part is over ${MAX_HEAD_BYTES} bytes`)
    const head = readPartHead(text)
    const { name, filename } = head
    if (filename === undefined) return { kind: 'text', name, text: await this.#readText(part, head) }
    const { files } = this.#options.rules
    const rule = Object.hasOwn(files, name) ? files[name] : undefined
    if (rule !== undefined) return await this.#readFile(part, { ...head, filename, rule })
    part.resume()
    return undefined
  }

  /** @returns the text as a JSON string */
  async #readText(part: Readable, { name }: PartHead): Promise<Uint8Array> {
    const { memory, rules } = this.#options
    const { maxFieldBytes = MAX_FIELD_BYTES } = rules
    if (!memory.add(measureFrame(name))) throw tooManyBodies()
    const text = new FieldText(name)
    let bytes = 0
    for await (const piece of part as AsyncIterable<Uint8Array>) {
      bytes += piece.length
      if (bytes > maxFieldBytes) throw tooLarge(name, maxFieldBytes, name)
      if (!memory.add(text.add(piece))) throw tooManyBodies()
    }
    return text.end()
  }

  async #readFile(
    part: Readable,
    { name, filename, mediaType, rule }: PartHead & { readonly filename: string; readonly rule: FileRule },
  ): Promise<Part> {
    this.#count(name, rule)
    const stored = await this.#options.files.create()
    try {
      const sizeBytes = await this.#store(part, { name, rule, stored })
      return { kind: 'file', file: { field: name, filename, mediaType, sizeBytes, path: stored.path }, stored }
    } catch (error) {
      await stored.remove()
      throw error
    }
  }

  #count(name: string, { maxCount = 1 }: FileRule): void {
    const count = (this.#counts.get(name) ?? 0) + 1
    this.#counts.set(name, count)
    if (count > maxCount) throw unparsable(`${name}: at most ${maxCount} ${maxCount === 1 ? 'file' : 'files'}`, name)
  }

  /** @returns the size of the file */
  async #store(
    part: Readable,
    { name, rule, stored }: { readonly name: string; readonly rule: FileRule; readonly stored: PrivateFile },
  ): Promise<number> {
    const { disk, maxFileBytes } = this.#options
    const { maxBytes = maxFileBytes, noun = name } = rule
    let bytes = 0
    for await (const piece of part as AsyncIterable<Uint8Array>) {
      bytes += piece.length
      if (bytes > maxBytes) throw tooLarge(noun, maxBytes, name)
      if (!disk.add(piece.length)) throw tooManyFiles()
      await stored.append(piece)
    }
    await stored.close()
    return bytes
  }
}

function cutOff(): SvcError {
  return unparsable('the form is cut off')
}

function tooLarge(what: string, maxBytes: number, param: string): SvcError {
  return new SvcError('too_large', `${what} is larger than ${maxBytes} bytes`, {
    code: 'part_too_large',
    details: { param },
  })
}

function tooManyFiles(): SvcError {
  return new SvcError('unavailable', 'too many files are being received; retry shortly', {
    code: 'upload_space',
    retryAfterMs: 1000,
  })
}
