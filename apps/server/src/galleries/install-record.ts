import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Document } from 'yaml'
import { INSTALLED_PREFIX } from '../catalog/written-files.ts'
import { readYaml } from '../catalog/yaml/read-yaml.ts'
import { toPlainValue } from '../catalog/yaml/scalars.ts'
import { readSystemCode, toFileError, toReason } from '../files/file-error.ts'
import { readRegularFile } from '../files/read-regular-file.ts'
import type { EntryFile } from './gallery.ts'
import { configFileName } from './model-plan.ts'
import { isFields, toFiles, toTexts } from './to-entry.ts'

/** The record of an installation from a gallery, in `._gallery_<name>.yaml` beside the model file. */
export interface InstallRecord {
  readonly name: string
  /** `gallery@name`; empty for a model that no gallery has. */
  readonly entryName: string
  readonly resolvedVariant?: string | undefined
  /** The variant that was asked for. */
  readonly pinnedVariant?: string | undefined
  /** The operation that installed it last. */
  readonly job?: string | undefined
  readonly files: readonly EntryFile[]
  /** Names of the template files that were written with it. */
  readonly templates: readonly string[]
  /** The model file as the installation by itself would write it, without changes that were kept. */
  readonly configText?: string | undefined
  /** Keys that requests have set. */
  readonly requested?: Readonly<Record<string, unknown>> | undefined
}

const MAX_BYTES = 1024 * 1024
/** Longest model file of which a record keeps a copy, in characters. */
const MAX_TEXT = 256 * 1024

/** The name of the record of a model. */
export function recordFileName(name: string): string {
  return `${INSTALLED_PREFIX}${configFileName(name)}`
}

/** A record as YAML. */
export function formatRecord(record: InstallRecord): string {
  return new Document({
    name: record.name,
    entry_name: record.entryName,
    ...(record.resolvedVariant === undefined ? {} : { resolved_variant: record.resolvedVariant }),
    ...(record.pinnedVariant === undefined ? {} : { pinned_variant: record.pinnedVariant }),
    ...(record.job === undefined ? {} : { job: record.job }),
    files: record.files.map(({ filename, uri, sha256 }) => ({
      filename,
      uri,
      ...(sha256 === undefined ? {} : { sha256 }),
    })),
    ...(record.templates.length === 0 ? {} : { templates: record.templates }),
    ...(record.configText === undefined || record.configText.length > MAX_TEXT
      ? {}
      : { config_text: record.configText }),
    ...(record.requested === undefined ? {} : { requested: record.requested }),
  }).toString()
}

/** The record of a model; undefined where there is none that can be read. */
export async function readRecord(folder: string, name: string): Promise<InstallRecord | undefined> {
  return readRecordFile(folder, recordFileName(name))
}

/** Every record of a models folder. @throws {SvcError} `file_failed` */
export async function readRecords(folder: string): Promise<readonly InstallRecord[]> {
  const names = await listFolder(folder)
  const read = await Promise.all(
    names.filter((name) => name.startsWith(INSTALLED_PREFIX)).map((name) => readRecordFile(folder, name)),
  )
  return read.filter((record) => record !== undefined)
}

/** The names in a folder that may not exist. @throws {SvcError} `file_failed` */
export async function listFolder(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (readSystemCode(error) === 'ENOENT') return []
    throw toFileError(error, 'read', folder)
  })
}

async function readRecordFile(folder: string, file: string): Promise<InstallRecord | undefined> {
  const text = await readHidden(folder, file)
  if (text === undefined) return undefined
  const read = readYaml(text)
  const value = read.ok ? toPlainValue(read.root) : undefined
  if (!isFields(value)) return undefined
  const fallback = file.slice(INSTALLED_PREFIX.length).replace(/\.yaml$/, '')
  const readText = (key: string): string | undefined => {
    const found = value[key]
    return typeof found === 'string' && found !== '' ? found : undefined
  }
  return {
    name: readText('name') ?? fallback,
    entryName: readText('entry_name') ?? '',
    resolvedVariant: readText('resolved_variant'),
    pinnedVariant: readText('pinned_variant'),
    job: readText('job'),
    files: toFiles(value.files),
    templates: toTexts(value.templates),
    configText: readText('config_text'),
    requested: isFields(value.requested) ? value.requested : undefined,
  }
}

/** The text of a small file; undefined where there is none, and for a link. */
async function readHidden(folder: string, file: string): Promise<string | undefined> {
  const read = await readRegularFile(join(folder, file), { maxBytes: MAX_BYTES, followsLink: false }).catch(toReason)
  return typeof read === 'string' ? undefined : read.toString('utf8')
}
