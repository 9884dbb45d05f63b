import { SvcError } from '@svc/errors'
import { EDITOR_FIELDS, EDITOR_SECTIONS, type EditorField, type FieldType } from '../../../catalog/keys/list-fields.ts'

/** A key of model files as it goes out. */
export type WireField = Readonly<Record<string, unknown>>

const GO_TYPES: Readonly<Record<FieldType, string>> = {
  text: 'string',
  flag: 'bool',
  integer: 'int',
  number: 'float64',
  choice: 'string',
  list: '[]interface{}',
  'text-list': '[]string',
  map: 'map[string]interface{}',
}
const UI_TYPES: Readonly<Record<FieldType, string>> = {
  text: 'string',
  flag: 'bool',
  integer: 'int',
  number: 'float',
  choice: 'string',
  list: 'object',
  'text-list': '[]string',
  map: 'map',
}
const COMPONENTS: Readonly<Record<FieldType, string>> = {
  text: 'input',
  flag: 'toggle',
  integer: 'number',
  number: 'number',
  choice: 'select',
  list: 'json-editor',
  'text-list': 'string-list',
  map: 'json-editor',
}

/** Keys that change how much memory a model takes. */
export const MEMORY_KEYS: ReadonlySet<string> = new Set([
  ...['parameters.model', 'parameters.batch', 'context_size', 'gpu_layers', 'f16', 'mmproj', 'draft_model'],
  ...['cache_type_k', 'cache_type_v', 'no_kv_offloading', 'tensor_split', 'quantization'],
])

/** Keys whose value is a name that the server knows. */
export const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['backend', 'backends'],
  ['alias', 'models'],
  ['pipeline.llm', 'models:chat'],
  ['pipeline.tts', 'models:tts'],
  ['pipeline.transcription', 'models:transcript'],
  ['pipeline.vad', 'models:vad'],
  ['pipeline.sound_detection', 'models:sound_classification'],
  ['router.classifier_model', 'models'],
  ['router.fallback', 'models'],
  ['failover.targets', 'models'],
  ['pii.detectors', 'models'],
])

/** Replies of an editor's questions about the keys of model files. */
export function listSections(baseUrl: string): Readonly<Record<string, unknown>> {
  return {
    hint: 'Ask with ?section=ID for the keys of one section, and with ?section=all for every key.',
    schema: `${baseUrl}api/models/config-schema`,
    sections: EDITOR_SECTIONS.map(({ id, label }) => ({
      id,
      label,
      url: `${baseUrl}api/models/config-metadata?section=${encodeURIComponent(id)}`,
    })),
  }
}

/** The keys of a section, or of all. @throws {SvcError} `not_found`, code `section_not_found` */
export function listSectionFields(section: string): readonly WireField[] {
  const ordered = EDITOR_FIELDS.map(toWire)
  if (section === 'all') return ordered
  if (EDITOR_SECTIONS.some(({ id }) => id === section)) return ordered.filter((field) => field.section === section)
  throw new SvcError('not_found', `there is no section "${section}"`, { code: 'section_not_found' })
}

function toWire(field: EditorField, order: number): WireField {
  const { path, key, section, label, description, type, options, min, max } = field
  const provider = PROVIDERS.get(path)
  return {
    path,
    yaml_key: key,
    go_type: GO_TYPES[type],
    ui_type: UI_TYPES[type],
    section,
    label,
    ...(description === undefined ? {} : { description }),
    component: provider === undefined || type !== 'text' ? COMPONENTS[type] : 'autocomplete',
    ...(options.length === 0 ? {} : { options: options.map((value) => ({ value, label: value })) }),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(provider === undefined ? {} : { autocomplete_provider: provider }),
    ...(MEMORY_KEYS.has(path) ? { vram_impact: true } : {}),
    // The usual keys have a sentence.
    ...(description === undefined ? { advanced: true } : {}),
    order,
  }
}
