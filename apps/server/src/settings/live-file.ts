import { isDeepStrictEqual } from 'node:util'
import type { JsonNode } from '@svc/json'
import { StartRefused } from '../config/start-refused.ts'
import { describeProblem, type FileProblem } from '../files/read-json-file.ts'
import type { FileWatch } from '../files/watch-file.ts'
import type { SettingsFiles } from './settings-files.ts'

/** The meaning of a file's content. */
export interface Parsed<T> {
  /** The parts that could be read. */
  readonly value: T
  readonly problems: readonly FileProblem[]
  /** Whether starting with only what was understood could open the server to everybody. */
  readonly isUnsafe: boolean
}

/** Options of {@link openLiveFile}. */
export interface LiveFileOptions<T> {
  readonly files: Pick<SettingsFiles, 'place' | 'read' | 'isPresent' | 'watch'>
  readonly name: string
  /** The value without a file. */
  readonly empty: T
  readonly parse: (root: JsonNode) => Parsed<T>
  /**
   * Whether API keys may be in it: then the server does not start while it cannot be read, and its content goes on to
   * count when it vanishes, since the server could be open without it.
   */
  readonly holdsKeys: boolean
  /** Called after the file was read again, whatever the result. */
  readonly onReload: () => void
}

/** A file that is read at start and whenever it changes, and whose last good content counts. */
export interface LiveFile<T> {
  /** The content that counts. */
  readonly value: T
  /** The version of the content that was read last, where its place has versions. */
  readonly version: number | undefined
  /** The problems of the content on disk; empty when that content is in use. */
  readonly problems: readonly FileProblem[]
  /** Reads the file now. */
  reload(): Promise<void>
  /** Takes a value that the caller has just written to the file. */
  accept(value: T): void
  close(): Promise<void>
}

/**
 * Opens a live file. A bad change keeps the whole last good content. At start, where there is none, the parts that can
 * be understood count.
 *
 * @throws {StartRefused} exit code 78 when the parts that cannot be understood may hold keys
 */
export async function openLiveFile<T>(options: LiveFileOptions<T>): Promise<LiveFile<T>> {
  const { files, name, empty, parse } = options
  let value = empty
  let problems: readonly FileProblem[] = []
  let version: number | undefined
  let accepted = 0
  let reading: Promise<void> = Promise.resolve()

  async function readAgain(isStart: boolean): Promise<void> {
    const before = accepted
    const read = await files.read(name)
    const isMissed = !isStart && options.holdsKeys && !isDeepStrictEqual(value, empty)
    const absence = read.state === 'absent' ? await describeAbsence(files, { file: name, isMissed }) : []
    // A value that was accepted meanwhile is newer than what this read saw.
    if (before !== accepted) return readAgain(isStart)
    version = read.version
    if (read.state === 'unreadable') {
      problems = [read.problem]
      if (isStart && options.holdsKeys) throw refusal(files.place, read.problem)
      return
    }
    if (read.state === 'absent') {
      problems = absence
      if (isStart || problems.length === 0) value = empty
      return
    }
    const parsed = parse(read.root)
    problems = parsed.problems
    const [first] = problems
    if (isStart && parsed.isUnsafe && first !== undefined) throw refusal(files.place, first)
    if (isStart || first === undefined) value = parsed.value
  }

  const reload = (): Promise<void> => {
    reading = reading.then(() => readAgain(false))
    return reading
  }

  const watch: FileWatch = await files.watch(name, () => {
    void reload().then(options.onReload)
  })
  try {
    await readAgain(true)
  } catch (error) {
    await watch.close()
    throw error
  }
  return {
    get value() {
      return value
    },
    get problems() {
      return problems
    },
    get version() {
      return version
    },
    reload,
    accept(written) {
      accepted += 1
      value = written
      problems = []
    },
    async close() {
      await watch.close()
      await reading
    },
  }
}

/** A folder that went away, as a lost mount does, takes no content with it; nor does a file that may hold keys. */
async function describeAbsence(
  files: Pick<SettingsFiles, 'isPresent'>,
  { file, isMissed }: { readonly file: string; readonly isMissed: boolean },
): Promise<FileProblem[]> {
  if (!(await files.isPresent())) return [{ file, message: 'its folder is not there' }]
  return isMissed ? [{ file, message: 'it is not there any more; its content counts until the next start' }] : []
}

function refusal(place: string, problem: FileProblem): StartRefused {
  return new StartRefused(
    `${place}: ${describeProblem(problem)}; mend the file or move it away: API keys may be in it, and without them the server would be open`,
    { exitCode: 78 },
  )
}
