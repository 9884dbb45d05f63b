import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import * as z from 'zod'
import { readJsonFile } from '../files/read-json-file.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import type { Logger } from '../ports.ts'

/** A key file outside the secrets folder that an operator named, with the place that gets the key. */
export interface GrantedKeyFile {
  readonly path: string
  /** Origin of the upstream; the text as it is where it cannot be read as a URL. */
  readonly upstream: string
}

/** A content of a model file that the server wrote. */
export interface WrittenContent {
  readonly sha256: string
  /** Key files that an operator named before the server wrote the file. */
  readonly grants: readonly GrantedKeyFile[]
}

/**
 * Model files that the server wrote: every new one, and every change that names a key file. Every other file, and a file with
 * another content by now, is an operator's.
 */
export interface WrittenFiles {
  /**
   * Finds the record of a content; undefined for a content of an operator.
   *
   * @param file inside the models folder, or absolute
   */
  find(file: string, content: string | Uint8Array): WrittenContent | undefined
  /**
   * Remembers a content that is about to be written, beside the one before: a kill in between leaves a file that is known.
   *
   * @throws {SvcError} `disk_full`, `file_failed`
   */
  note(file: string, content: string, grants: readonly GrantedKeyFile[]): Promise<void>
  /** Forgets a file. @throws {SvcError} `disk_full`, `file_failed` */
  forget(file: string): Promise<void>
}

const keyFile = z.object({ path: z.string(), upstream: z.string() })
const recordSchema = z.record(z.string(), z.array(z.object({ sha256: z.string(), key_files: z.array(keyFile) })))

const RECORD = 'written-models.json'
/** Prefix of the record that an installation leaves beside a model; earlier versions left no other record. */
export const INSTALLED_PREFIX = '._gallery_'
/** Largest number of files. The ones that were written first are forgotten; of each file the last contents are kept. */
const MAX_FILES = 1000

/** Opens the record in the data folder. */
export async function openWrittenFiles(options: {
  readonly dataPath: string
  readonly modelsPath: string
  readonly logger: Logger
}): Promise<WrittenFiles> {
  const { dataPath, modelsPath, logger } = options
  const path = join(dataPath, RECORD)
  const files = await readRecord(path, logger)
  let saving: Promise<void> = Promise.resolve()

  async function save(): Promise<void> {
    const record = [...files].map(([file, contents]) => {
      return [file, contents.map(({ sha256, grants }) => ({ sha256, key_files: grants }))] as const
    })
    const text = JSON.stringify(Object.fromEntries(record))
    const write = (): Promise<void> => writeFileAtomic(path, text, { mode: 0o600 })
    saving = saving.then(write, write)
    await saving
  }

  return {
    find(file, content) {
      if (resolve(modelsPath, dirname(file)) !== resolve(modelsPath)) return undefined
      const sha256 = hash('sha256', content, 'hex')
      const contents = files.get(basename(file))
      if (contents !== undefined) return contents.findLast((known) => known.sha256 === sha256)
      const isInstalled = existsSync(join(modelsPath, `${INSTALLED_PREFIX}${basename(file)}`))
      return isInstalled ? { sha256, grants: [] } : undefined
    },
    async note(file, content, grants) {
      const before = (files.get(file) ?? []).slice(-1)
      files.delete(file)
      files.set(file, [...before, { sha256: hash('sha256', content, 'hex'), grants }])
      for (const oldest of [...files.keys()].slice(0, Math.max(0, files.size - MAX_FILES))) files.delete(oldest)
      await save()
    },
    async forget(file) {
      if (files.delete(file)) await save()
    },
  }
}

/**
 * A lost record opens nothing: what is written is checked before. Only another secrets folder and links that were made
 * later would go unseen.
 */
async function readRecord(path: string, logger: Logger): Promise<Map<string, readonly WrittenContent[]>> {
  const read = await readJsonFile(path)
  const parsed = read.state === 'read' ? recordSchema.safeParse(read.root.toValue()) : undefined
  if (read.state !== 'absent' && parsed?.success !== true) {
    logger.warn({ file: RECORD }, 'record of written model files cannot be read')
  }
  const entries = Object.entries(parsed?.data ?? {}).map(([file, contents]) => {
    return [file, contents.map(({ sha256, key_files: grants }) => ({ sha256, grants }))] as const
  })
  return new Map(entries)
}
