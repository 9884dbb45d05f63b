import { SvcError } from '@svc/errors'
import { readYaml } from '../catalog/yaml/read-yaml.ts'
import { toPlainValue } from '../catalog/yaml/scalars.ts'
import type { EntryFile } from './gallery.ts'
import { type AddressParts, readAddress } from './read-address.ts'
import { isFields, toFiles } from './to-entry.ts'

/** The document that an entry's `url` names. */
export interface ModelDocument {
  readonly configFile: Readonly<Record<string, unknown>>
  readonly files: readonly EntryFile[]
  readonly promptTemplates: readonly PromptTemplate[]
}

/** A template that goes into a file of its own. */
export interface PromptTemplate {
  readonly name: string
  readonly content: string
}

const MAX_BYTES = 1024 * 1024
const FETCH_MS = 60_000

/** A document without content. */
export const EMPTY_DOCUMENT: ModelDocument = { configFile: {}, files: [], promptTemplates: [] }

/** Fetches and reads a document. @throws {SvcError} as {@link readAddress}; `unprocessable` (`document_invalid`) */
export async function fetchDocument(uri: string, parts: AddressParts, signal: AbortSignal): Promise<ModelDocument> {
  const limits = { maxBytes: MAX_BYTES, timeoutMs: FETCH_MS, what: 'the document of the model' }
  const { bytes } = await readAddress(uri, { ...limits, trust: 'public', signal }, parts)
  return readDocument(bytes)
}

/** Reads the text of a document. @throws {SvcError} `unprocessable`, code `document_invalid` */
function readDocument(bytes: Uint8Array | string): ModelDocument {
  const value = readMap(bytes, 'the document of the model')
  const { config_file: config } = value
  const templates: readonly unknown[] = Array.isArray(value.prompt_templates) ? value.prompt_templates : []
  return {
    configFile: typeof config === 'string' ? readMap(config, 'its config_file') : isFields(config) ? config : {},
    files: toFiles(value.files),
    promptTemplates: templates.flatMap((template) =>
      isFields(template) && typeof template.name === 'string' && typeof template.content === 'string'
        ? [{ name: template.name, content: template.content }]
        : [],
    ),
  }
}

function readMap(text: Uint8Array | string, what: string): Readonly<Record<string, unknown>> {
  const refuse = (reason: string): SvcError =>
    new SvcError('unprocessable', `${what} cannot be read: ${reason}`, { code: 'document_invalid' })
  if (typeof text === 'string' && text.trim() === '') return {}
  const read = readYaml(text, { repeatedKeys: 'last' })
  if (!read.ok) throw refuse(read.line === undefined ? read.reason : `line ${read.line}: ${read.reason}`)
  const value = toPlainValue(read.root)
  if (Array.isArray(value))
    throw refuse('it is a list: the index of a gallery belongs into the galleries of the settings')
  if (!isFields(value)) throw refuse('it is not a map')
  return value
}
