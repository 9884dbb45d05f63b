import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import type { paths } from '../../lib/schema.gen.ts'

/** Component that shows a key in the form. */
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
  /** Source of the names that it can take. */
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

type Metadata = paths['/api/models/config-metadata']['get']['responses'][200]['content']['application/json']

type MetadataFields = Extract<Metadata, readonly unknown[]>

/** The keys as the form shows them; a key of an unknown kind is edited as JSON. */
export function toFields(fields: MetadataFields): readonly ConfigField[] {
  return fields.map((field) => ({
    path: field.path,
    section: field.section,
    label: field.label || field.path,
    description: field.description ?? '',
    component: COMPONENTS.find((one) => one === field.component) ?? 'json-editor',
    options: (field.options ?? []).map(({ value }) => value),
    provider: field.autocomplete_provider || undefined,
    isAdvanced: field.advanced === true,
    isWhole: field.ui_type === 'int',
    min: field.min,
    max: field.max,
  }))
}

/** Every key that model files can have. */
export const catalogueQuery = queryOptions({
  queryKey: ['model-editor', 'catalogue'],
  staleTime: Number.POSITIVE_INFINITY,
  async queryFn({ signal }): Promise<FieldCatalogue> {
    const [index, fields] = await Promise.all([
      unwrap(api.GET('/api/models/config-metadata', { signal })),
      unwrap(api.GET('/api/models/config-metadata', { signal, params: { query: { section: 'all' } } })),
    ])
    const sections = 'sections' in index ? index.sections : []
    return {
      sections: sections.map(({ id, label }) => ({ id, label: label || id })),
      fields: toFields(Array.isArray(fields) ? fields : []),
    }
  },
})
