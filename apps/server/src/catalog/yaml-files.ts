import { hash } from 'node:crypto'
import { toReason } from '../files/file-error.ts'
import { isSafeName, toFileName } from '../files/safe-path.ts'
import type { ModelFile } from './config-file.ts'
import type { ConfigProblem } from './config-problem.ts'
import { type FoundFile, isSettled } from './found-file.ts'
import type { ModelConfig } from './model-config.ts'
import { type ModelFolder, readSmallFile } from './model-folder.ts'
import type { ModelFilePlace } from './to-model-config.ts'
import { MODEL_FILE_LIMITS } from './yaml/limits.ts'

/** Reads the content of a model file. */
export type ParseModelFile = (content: Uint8Array, place: ModelFilePlace) => ModelFile

/** A model file as last read. */
export interface YamlFile {
  readonly name: string
  /** Its models; while the file is broken, with the last good ones. */
  readonly models: readonly ModelConfig[]
  readonly problems: readonly ConfigProblem[]
}

/** Model files of a folder. Each content is parsed once. */
export interface YamlFiles {
  /** Gives the file of a name; undefined when there is none. Gives the same object while its content is the same. */
  read(name: string): YamlFile | undefined
  /** Forgets all other files. */
  keep(names: ReadonlySet<string>): void
}

interface Known {
  readonly signature: string
  readonly isSettled: boolean
  readonly digest: string
  readonly file: YamlFile
}

/** Options of {@link createYamlFiles}. */
export interface YamlFilesOptions {
  readonly now: () => number
  readonly parseFile: ParseModelFile
}

/** Creates the model files of a folder. */
export function createYamlFiles(folder: ModelFolder, options: YamlFilesOptions): YamlFiles {
  const known = new Map<string, Known>()
  const unsafeNames = new Map<string, YamlFile>()

  const unsafe = (name: string): YamlFile => {
    const before = unsafeNames.get(name)
    if (before !== undefined) return before
    const now = broken(toFileName(name), 'has a name that cannot be used')
    unsafeNames.set(name, now)
    return now
  }

  const parse = (name: string, found: FoundFile, before: Known | undefined): Known => {
    // the content of a file that is not settled is compared itself
    const facts = { signature: found.signature, isSettled: isSettled(found, options.now()) }
    let content: Buffer | undefined
    try {
      content = readSmallFile(found, MODEL_FILE_LIMITS.bytes)
    } catch (error) {
      return { ...facts, digest: '', file: broken(name, `cannot be read: ${toReason(error)}`) }
    }
    if (content === undefined) {
      const reason = `is larger than ${MODEL_FILE_LIMITS.bytes} bytes`
      return { ...facts, digest: '', file: broken(name, reason, before?.file.models) }
    }
    const digest = hash('sha256', content, 'base64')
    if (before?.digest === digest) return { ...facts, digest, file: before.file }
    const place = { file: name, folder: folder.path, modifiedAt: found.modifiedAt }
    return { ...facts, digest, file: toYamlFile(name, options.parseFile(content, place), before?.file.models) }
  }

  return {
    read(name) {
      if (!isSafeName(name)) return unsafe(name)
      const found = folder.find(name)
      if (found === undefined) {
        known.delete(name)
        return undefined
      }
      const before = known.get(name)
      if (!found.found) {
        const now = { signature: found.fault, isSettled: true, digest: '', file: broken(name, found.fault) }
        if (before?.signature !== found.fault) known.set(name, now)
        return known.get(name)?.file
      }
      if (before?.isSettled === true && before.signature === found.signature) return before.file
      const now = parse(name, found, before)
      known.set(name, now)
      return now.file
    },
    keep(names) {
      for (const kept of [known, unsafeNames]) {
        for (const name of kept.keys()) if (!names.has(name)) kept.delete(name)
      }
    },
  }
}

function broken(name: string, reason: string, before: readonly ModelConfig[] = []): YamlFile {
  return toYamlFile(name, { models: [], problems: [{ file: name, reason }] }, before)
}

/** A broken file keeps the last good models that it no longer gives, because a half-written save must not remove them. */
function toYamlFile(name: string, parsed: ModelFile, before: readonly ModelConfig[] = []): YamlFile {
  const names = new Set(parsed.models.map((model) => model.name))
  const kept = parsed.problems.length === 0 ? [] : before.filter((model) => !names.has(model.name))
  if (kept.length === 0) return { name, ...parsed }
  const problems = parsed.problems.map((each) => ({
    ...each,
    reason: `${each.reason}; the last good version stays in use`,
  }))
  return { name, models: [...parsed.models, ...kept], problems }
}
