import type { BackendEntry, EntryFile, EntryHead, ModelEntry } from './gallery.ts'

type Fields = Readonly<Record<string, unknown>>

/** Whether a value is a map of fields. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The model of an item of an index; undefined for an item without a name. */
export function toModelEntry(value: unknown): ModelEntry | undefined {
  if (!isFields(value)) return undefined
  const head = toHead(value)
  if (head === undefined) return undefined
  return {
    ...head,
    url: toText(value.url),
    size: toText(value.size),
    files: toFiles(value.files),
    configFile: isFields(value.config_file) ? value.config_file : {},
    overrides: isFields(value.overrides) ? value.overrides : {},
    variants: toList(value.variants).flatMap((variant) => {
      const name = isFields(variant) ? toText(variant.model) : ''
      return name === '' ? [] : [name]
    }),
  }
}

/** The backend of an item of an index; undefined for an item without a name. */
export function toBackendEntry(value: unknown): BackendEntry | undefined {
  if (!isFields(value)) return undefined
  const head = toHead(value)
  if (head === undefined) return undefined
  const capabilities = isFields(value.capabilities) ? value.capabilities : {}
  return {
    ...head,
    alias: toText(value.alias),
    uri: toText(value.uri),
    version: toText(value.version),
    mirrors: toTexts(value.mirrors),
    sha256: toText(value.sha256).toLowerCase(),
    capabilities: Object.fromEntries(
      Object.entries(capabilities).flatMap(([key, name]) => (typeof name === 'string' ? [[key, name]] : [])),
    ),
  }
}

/** The files of an item; one without a name or an address is left out. */
export function toFiles(value: unknown): readonly EntryFile[] {
  return toList(value).flatMap((file) => {
    if (!isFields(file)) return []
    const [filename, uri, sha256] = [toText(file.filename), toText(file.uri), toText(file.sha256).trim().toLowerCase()]
    return uri === '' ? [] : [{ filename: filename || nameInUri(uri), uri, ...(sha256 === '' ? {} : { sha256 }) }]
  })
}

function nameInUri(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1)
}

function toHead(value: Fields): EntryHead | undefined {
  const name = toText(value.name)
  if (name === '') return undefined
  return {
    name,
    description: toText(value.description),
    license: toText(value.license),
    urls: toTexts(value.urls),
    icon: toText(value.icon),
    tags: toTexts(value.tags),
  }
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The texts of a list; everything else in it is left out. */
export function toTexts(value: unknown): readonly string[] {
  return toList(value)
    .map(toText)
    .filter((text) => text !== '')
}
