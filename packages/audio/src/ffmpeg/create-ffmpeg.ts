import { constants } from 'node:fs'
import { access, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { checkArgument } from '@svc/errors'
import { checkLimit, checkOptions } from '../check-entries.ts'
import type { AudioConverter, ConverterDecodeOptions } from '../encode/converter.ts'
import { AudioError } from '../errors.ts'
import { type AudioPieces, abortable } from '../streams/abortable.ts'
import { decodeArguments, encodeArguments, NEEDS_FILE } from './arguments.ts'
import { type ProgramOptions, runProgram } from './run-program.ts'

/** Options of {@link createFfmpeg}. */
export interface FfmpegOptions {
  /** Absolute path of the program. @default the first `ffmpeg` in `folders` */
  readonly path?: string | undefined
  /** Absolute folders to look in, such as those of `PATH`. @default the usual folders of programs */
  readonly folders?: readonly string[] | undefined
  /** Environment of the program beside `LANG`; nothing else is inherited. @default empty */
  readonly env?: Readonly<Record<string, string>> | undefined
  /**
   * Time of one conversion, with the time that its input takes: samples of a slow voice need more. 1..2,147,483,647.
   *
   * @default 60,000
   */
  readonly timeoutMs?: number | undefined
  /** Bytes of one result. @default 512 MiB */
  readonly maxOutputBytes?: number | undefined
  /** Bytes of an input that ffmpeg reads from a file, because its index may be at its end. @default 512 MiB */
  readonly maxInputBytes?: number | undefined
  /** Folder of such files. Each has a folder of its own there, for the time of the conversion. @default the system's */
  readonly temporaryFolder?: string | undefined
}

const FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin', '/opt/local/bin']
const TIMEOUT_MS = 60_000
const MAX_BYTES = 512 * 1024 * 1024
/** The longest wait of a timer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/**
 * Creates a converter over an installed `ffmpeg`. The program is looked for at the first use, and again while it is
 * missing.
 *
 * Each conversion is a process in a group of its own: without a shell, with an environment of its own, with the demuxer
 * of the sniffed type and no other, with no protocol but pipes and files. Its time, output and messages are bounded,
 * and an abort kills the whole group.
 *
 * @throws SvcError `invalid_argument` for options of another type or out of range
 * @example
 * const converter = createFfmpeg({ folders: (process.env.PATH ?? '').split(':') })
 * encodeAudio(pcm, { format: 'aac', inputRate: 24_000, converter, signal })
 */
export function createFfmpeg(options: FfmpegOptions = {}): AudioConverter {
  checkOptions('createFfmpeg', options)
  const { env = {}, timeoutMs = TIMEOUT_MS, maxOutputBytes = MAX_BYTES, maxInputBytes = MAX_BYTES } = options
  checkArgument(
    Number.isFinite(timeoutMs) && timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS,
    'createFfmpeg: timeoutMs',
    `a number in 1..${MAX_TIMEOUT_MS}`,
    timeoutMs,
  )
  checkLimit(maxOutputBytes, 'createFfmpeg: maxOutputBytes')
  checkLimit(maxInputBytes, 'createFfmpeg: maxInputBytes')
  checkPlaces(options)
  let found: string | undefined
  const find = async (purpose: string): Promise<string> => {
    found ??= await findProgram(options)
    if (found === undefined)
      throw new AudioError('converter_missing', `${purpose} needs ffmpeg, which is not installed`)
    return found
  }
  const toProgram = (
    command: string,
    rest: Pick<ProgramOptions, 'args' | 'failure' | 'input' | 'signal'>,
  ): AsyncIterable<Uint8Array> => {
    return runProgram({ command, env: { LANG: 'C', ...env }, timeoutMs, maxOutputBytes, ...rest })
  }
  return {
    async require(purpose) {
      await find(purpose)
    },
    async *encode(pcm, encodeOptions) {
      const { format, signal } = encodeOptions
      const command = await find(format)
      yield* toProgram(command, {
        args: encodeArguments(encodeOptions),
        failure: 'converter_failed',
        input: pcm,
        signal,
      })
    },
    async *decode(file, decodeOptions) {
      const { type, signal } = decodeOptions
      const command = await find(type.codec ?? type.container)
      if (!NEEDS_FILE.has(type.container)) {
        yield* toProgram(command, { args: decodeArguments(decodeOptions), failure: 'bad_audio', input: file, signal })
        return
      }
      yield* withFile(file, { ...options, ...decodeOptions }, (path) => {
        return toProgram(command, { args: decodeArguments(decodeOptions, path), failure: 'bad_audio', signal })
      })
    },
  }
}

function checkPlaces({ path, folders, env, temporaryFolder }: FfmpegOptions): void {
  for (const [name, place] of Object.entries({ path, temporaryFolder })) {
    checkArgument(place === undefined || typeof place === 'string', `createFfmpeg: ${name}`, 'a path', place)
  }
  const areFolders =
    folders === undefined || (Array.isArray(folders) && folders.every((each) => typeof each === 'string'))
  checkArgument(areFolders, 'createFfmpeg: folders', 'an array of paths', folders)
  checkArgument(env === undefined || (typeof env === 'object' && env !== null), 'createFfmpeg: env', 'an object', env)
}

async function findProgram({ path, folders = FOLDERS }: FfmpegOptions): Promise<string | undefined> {
  const places = path === undefined ? folders.map((folder) => join(folder, 'ffmpeg')) : [path]
  for (const place of places) {
    // A relative folder would depend on where this process runs.
    if (isAbsolute(place) && (await isProgram(place))) return place
  }
  return undefined
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Writes the input to a file that only this user can read, and removes it at the end. */
async function* withFile(
  input: AudioPieces,
  options: FfmpegOptions & Pick<ConverterDecodeOptions, 'signal'>,
  convert: (path: string) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { temporaryFolder = tmpdir(), maxInputBytes = MAX_BYTES, signal } = options
  const folder = await mkdtemp(join(temporaryFolder, 'svc-audio-'))
  try {
    const path = join(folder, 'input')
    await writeInput(abortable(input, signal), path, maxInputBytes)
    yield* convert(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function writeInput(input: AsyncIterable<Uint8Array>, path: string, maxBytes: number): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    let bytes = 0
    for await (const piece of input) {
      bytes += piece.length
      if (bytes > maxBytes) throw new AudioError('audio_limit', `the audio has more than ${maxBytes} bytes`)
      await file.writeFile(piece)
    }
  } finally {
    await file.close()
  }
}
