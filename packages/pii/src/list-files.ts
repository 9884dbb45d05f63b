import { SvcError } from '@svc/errors'
import { configError } from './config-error.ts'
import { type DenyList, type DenyListFiles, MAX_LISTED } from './deny-list.ts'
import type { Detector } from './detector.ts'
import { MIN_TERM_LENGTH } from './ner/term-matcher.ts'
import type { Logger, TermFiles } from './ports.ts'
import type { DetectionSettings } from './settings.ts'

/** An entry of a file, with the number of its line. */
export interface ListedLine {
  readonly text: string
  readonly line: number
}

/** The entries of a file: one a line, blank lines and lines that begin with `#` left out. */
export function parseListFile(text: string): ListedLine[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line, index) => ({ text: line.trim(), line: index + 1 }))
    .filter((entry) => entry.text !== '' && !entry.text.startsWith('#'))
}

/** Stands for the terms of a file while settings are checked without it. */
const STAND_IN = ['a term of a file']

/** The settings with a term in place of each file of a deny list, and without files. */
export function withStandIns<S extends Pick<DetectionSettings, 'denyList' | 'denyListFiles'>>(settings: S): S {
  const { denyListFiles = {} } = settings
  const denyList = Object.fromEntries(Object.keys(denyListFiles).map((group) => [group, STAND_IN]))
  return { ...settings, denyList: { ...denyList, ...settings.denyList }, denyListFiles: undefined }
}

/** The parts of {@link followListFiles}. */
export interface ListFilesParts {
  readonly name: string
  readonly settings: DetectionSettings
  /** Reads the files; without it every scan fails. */
  readonly files: TermFiles | undefined
  readonly logger?: Logger | undefined
  /** Creates the detector of settings without files. */
  readonly create: (settings: DetectionSettings) => Detector
}

/**
 * Creates a detector whose lists are partly in files. A scan reads files that have changed. A file that cannot be used
 * fails each scan, with one warning for each state of the files.
 */
export function followListFiles({ name, settings, files, logger, create }: ListFilesParts): Detector {
  const { denyListFiles = {}, allowListFiles = [], ...rest } = settings
  const paths = [...new Set([...Object.values(denyListFiles).flat(), ...allowListFiles])]
  let known: { readonly stamp: string; readonly detector: Detector | SvcError } | undefined

  function build(read: ReadonlyMap<string, string | undefined>): Detector | SvcError {
    try {
      const denyList = addTerms(rest.denyList ?? {}, denyListFiles, read)
      const allowed = allowListFiles.flatMap((path) => readEntries('allow_list_files', path, read))
      const allowList = [...(rest.allowList ?? []), ...allowed.map(({ text }) => text)]
      return create({ ...rest, denyList, allowList })
    } catch (error) {
      if (!SvcError.is(error)) throw error
      logger?.warn({ detector: name, reason: error.message }, 'a list of a detector cannot be used; its scans fail')
      return error
    }
  }

  async function current(): Promise<Detector> {
    const read = await Promise.all(paths.map(async (path) => ({ path, file: await files?.read(path) })))
    const stamp = JSON.stringify(read.map(({ file }) => file?.stamp ?? null))
    if (known?.stamp !== stamp) {
      known = { stamp, detector: build(new Map(read.map(({ path, file }) => [path, file?.text]))) }
    }
    const { detector } = known
    if (detector instanceof Error) throw detector
    return detector
  }

  return { name, detect: async (document, options) => (await current()).detect(document, options) }
}

function addTerms(denyList: DenyList, files: DenyListFiles, read: ReadonlyMap<string, string | undefined>): DenyList {
  const all = new Map<string, readonly string[]>(Object.entries(denyList))
  for (const [group, paths] of Object.entries(files)) {
    const key = `deny_list_files[${JSON.stringify(group)}]`
    const terms = paths.flatMap((path) => readTerms(key, path, read))
    all.set(group, [...(all.get(group) ?? []), ...terms])
  }
  return Object.fromEntries(all)
}

function readTerms(key: string, path: string, read: ReadonlyMap<string, string | undefined>): string[] {
  const entries = readEntries(key, path, read)
  // A list that lost its content would let everything pass.
  if (entries.length === 0) throw configError(`${key}: ${path} holds no term`)
  const short = entries.find(({ text }) => [...text].length < MIN_TERM_LENGTH)
  if (short !== undefined) {
    throw configError(`${key}: ${path}:${short.line}: a term needs ${MIN_TERM_LENGTH} characters or more`)
  }
  return entries.map(({ text }) => text)
}

function readEntries(key: string, path: string, read: ReadonlyMap<string, string | undefined>): ListedLine[] {
  const text = read.get(path)
  if (text === undefined) {
    throw configError(`${key}: ${path} is missing, is too large, is not readable or lies outside of its folder`)
  }
  const entries = parseListFile(text)
  if (entries.length > MAX_LISTED) throw configError(`${key}: ${path} holds more than ${MAX_LISTED} entries`)
  return entries
}
