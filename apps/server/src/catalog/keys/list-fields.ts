import { type Field, findFieldMeta, type KeyTable } from './fields.ts'
import { KEY_GROUPS, toLabel } from './model-keys.ts'

/** A key of model files, as an editor shows it. */
export interface EditorField {
  /** Keys from the top of the file, joined by dots. */
  readonly path: string
  readonly key: string
  /** Id of its group. */
  readonly section: string
  readonly label: string
  readonly description: string | undefined
  readonly type: FieldType
  /** The words that the key takes, where it takes only some. */
  readonly options: readonly string[]
  readonly min: number | undefined
  readonly max: number | undefined
}

/** The kind of values that a key takes. */
export type FieldType = 'text' | 'flag' | 'integer' | 'number' | 'choice' | 'list' | 'text-list' | 'map'

/** Groups of keys of a model file. */
export const EDITOR_SECTIONS: readonly { readonly id: string; readonly label: string }[] = KEY_GROUPS.map(
  ({ id, label }) => ({ id, label }),
)

/** Every key of model files, in the order of their groups. Keys of a block follow where the block stood. */
export const EDITOR_FIELDS: readonly EditorField[] = KEY_GROUPS.flatMap(({ id, keys }) => listFields(keys, id, []))

function listFields(keys: KeyTable, section: string, above: readonly string[]): readonly EditorField[] {
  return Object.entries(keys).flatMap(([key, field]) => {
    const path = [...above, key]
    const { keys: inner, item } = findFieldMeta(field) ?? {}
    return inner === undefined || item !== undefined
      ? [describeField(field, { path, key, section })]
      : listFields(inner, section, path)
  })
}

function describeField(
  field: Field,
  { path, key, section }: { readonly path: readonly string[]; readonly key: string; readonly section: string },
): EditorField {
  const json = findFieldMeta(field)?.json ?? {}
  const words: readonly unknown[] = Array.isArray(json.enum) ? json.enum : []
  const bound = (name: string): number | undefined => {
    const value = json[name]
    return typeof value === 'number' ? value : undefined
  }
  return {
    path: path.join('.'),
    key,
    section,
    label: toLabel(key),
    description: field.description,
    type: findType(field),
    options: words.flatMap((word) => (typeof word === 'string' && word !== '' ? [word] : [])),
    min: bound('minimum'),
    max: bound('maximum'),
  }
}

function findType(field: Field): FieldType {
  const meta = findFieldMeta(field)
  switch (meta?.expected) {
    case 'a boolean':
      return 'flag'
    case 'a whole number':
      return 'integer'
    case 'a number':
      return 'number'
    case 'a list':
      return meta.item !== undefined && findType(meta.item) === 'text' ? 'text-list' : 'list'
    case 'a map':
      return 'map'
    default:
      return meta?.expected.startsWith('one of') === true ? 'choice' : 'text'
  }
}
