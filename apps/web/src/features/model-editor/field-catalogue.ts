import { queryOptions } from '@tanstack/react-query'
import { send } from '../../lib/api-client.ts'
import { isRecord, readFailure } from '../../lib/api-error.ts'
import { toUrl } from '../../lib/base-path.ts'

/** How a key is shown in the form. */
export type FieldComponent = 'input' | 'number' | 'toggle' | 'select' | 'string-list' | 'autocomplete' | 'json-editor'

/** A key of model files. */
export interface ConfigField {
  /** From the top: `pii.enabled`. */
  readonly path: string
  readonly section: string
  readonly label: string
  readonly description: string
  readonly component: FieldComponent
  readonly options: readonly string[]
  /** Where names that it can take come from. */
  readonly provider: string | undefined
  readonly isAdvanced: boolean
  readonly isWhole: boolean
  readonly min: number | undefined
  readonly max: number | undefined
}

/** A part of the form. */
export interface ConfigSection {
  readonly id: string
  readonly label: string
}

/** The keys of model files and their sections. */
export interface FieldCatalogue {
  readonly sections: readonly ConfigSection[]
  readonly fields: readonly ConfigField[]
}

const COMPONENTS: readonly FieldComponent[] = [
  'input',
  'number',
  'toggle',
  'select',
  'string-list',
  'autocomplete',
  'json-editor',
]

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')
const toNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

/** Reads the keys, for which the server's document has no schema. Keys without a path are passed over. */
export function readFields(body: unknown): readonly ConfigField[] {
  const fields = isRecord(body) && Array.isArray(body.fields) ? body.fields : []
  return fields.flatMap((field: unknown): ConfigField[] => {
    if (!isRecord(field) || typeof field.path !== 'string') return []
    const options = Array.isArray(field.options) ? field.options : []
    const provider = toText(field.autocomplete_provider)
    return [
      {
        path: field.path,
        section: toText(field.section),
        label: toText(field.label) || field.path,
        description: toText(field.description),
        component: COMPONENTS.find((one) => one === field.component) ?? 'json-editor',
        options: options.flatMap((option: unknown) => (isRecord(option) ? [toText(option.value)] : [])),
        provider: provider === '' ? undefined : provider,
        isAdvanced: field.advanced === true,
        isWhole: field.ui_type === 'int',
        min: toNumber(field.min),
        max: toNumber(field.max),
      },
    ]
  })
}

/** Reads the sections of the form. */
export function readSections(body: unknown): readonly ConfigSection[] {
  const sections = isRecord(body) && Array.isArray(body.sections) ? body.sections : []
  return sections.flatMap((section: unknown): ConfigSection[] =>
    isRecord(section) && typeof section.id === 'string'
      ? [{ id: section.id, label: toText(section.label) || section.id }]
      : [],
  )
}

async function fetchJson(path: string, signal: AbortSignal): Promise<unknown> {
  const response = await send(toUrl(path), { signal })
  const body: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw readFailure(response, body)
  return body
}

/** Every key that model files can have. */
export const catalogueQuery = queryOptions({
  queryKey: ['model-editor', 'catalogue'],
  staleTime: Number.POSITIVE_INFINITY,
  async queryFn({ signal }): Promise<FieldCatalogue> {
    const [sections, fields] = await Promise.all([
      fetchJson('/api/models/config-metadata', signal),
      fetchJson('/api/models/config-metadata?section=all', signal),
    ])
    return { sections: readSections(sections), fields: readFields(fields) }
  },
})
