import { isDeepStrictEqual } from 'node:util'
import { SvcError } from '@svc/errors'
import { Document } from 'yaml'
import { type Field, findFieldMeta, type Reach } from '../catalog/keys/fields.ts'
import { findReach } from '../catalog/keys/key-reach.ts'
import { modelKeys } from '../catalog/keys/model-keys.ts'
import { isNull, type YamlNode } from '../catalog/yaml/node.ts'
import { readYaml } from '../catalog/yaml/read-yaml.ts'
import { toBoolean } from '../catalog/yaml/scalars.ts'
import { TOKEN_VARIABLE } from './artifacts/plan-artifacts.ts'
import { findEngineReach, leadsOut } from './foreign-values.ts'
import { isFields } from './to-entry.ts'

type Fields = Readonly<Record<string, unknown>>
type Path = readonly string[]

/** A key that foreign text may not set, with the thing that it reaches. */
interface ForeignFault {
  readonly path: Path
  readonly reach: Exclude<Reach, 'nothing' | 'engine'>
}

const REASONS: Readonly<Record<ForeignFault['reach'], string>> = {
  secret: 'names a secret of the server',
  file: 'leads out of the models folder',
  command: 'runs code',
  upstream: 'says where requests go',
  interception: 'opens TLS connections',
}

/**
 * Refuses foreign text that reaches further than a model and the models folder. A key counts as foreign unless the
 * administrator who asks for the model has given it the value that it gets.
 *
 * @param foreign the configuration of a gallery or a document
 * @param own the configuration of the administrator
 * @param merged the configuration that the model file will have
 * @throws {SvcError} `forbidden` (`foreign_key_refused`); `unprocessable` (`model_invalid`) for text that cannot be read
 */
export function refuseForeignKeys(
  foreign: Fields,
  { own, merged }: { readonly own: Fields; readonly merged: Fields },
): void {
  const faults = listForeignFaults(foreign).filter(({ path }) => {
    const given = valueAt(own, path)
    return given === undefined || !isDeepStrictEqual(given, valueAt(merged, path))
  })
  if (faults.length === 0) return
  const named = new Map(faults.map((fault) => [fault.path.join('.'), describe(fault)]))
  throw new SvcError(
    'forbidden',
    `a gallery may not set ${[...named.values()].join(', ')}: set it yourself, in overrides, where you mean it`,
    { code: 'foreign_key_refused' },
  )
}

function describe({ path, reach }: ForeignFault): string {
  const only = path.at(-1) === 'token_env' ? `a token_env other than ${TOKEN_VARIABLE} ` : ''
  return `${path.join('.')} (${only}${REASONS[reach]})`
}

/** Every fault of foreign text, read as the model file will be read. */
function listForeignFaults(foreign: Fields): readonly ForeignFault[] {
  const read = readYaml(new Document(foreign).toString())
  if (!read.ok) throw new SvcError('unprocessable', `what the gallery says ${read.reason}`, { code: 'model_invalid' })
  return listFaults(modelKeys, read.root, [])
}

function listFaults(field: Field, node: YamlNode, path: Path): readonly ForeignFault[] {
  if (isNull(node)) return []
  const { keys, item } = findFieldMeta(field) ?? {}
  if (node.kind === 'list' && item !== undefined) {
    return node.items.flatMap((entry) => listFaults(item, entry, [...path, '*']))
  }
  if (node.kind === 'map' && item !== undefined) {
    return [...node.entries.values()].flatMap(({ value }) => listFaults(item, value, [...path, '*']))
  }
  if (node.kind === 'map' && keys !== undefined) {
    return [...node.entries].flatMap(([key, { value }]) => {
      const known = Object.hasOwn(keys, key) ? keys[key] : undefined
      return known === undefined ? [] : listFaults(known, value, [...path, key])
    })
  }
  const reach = judge(node, path)
  return reach === 'nothing' ? [] : [{ path, reach }]
}

/** Finds the reach of a value. A key without a row in the table is refused. */
function judge(node: YamlNode, path: Path): ForeignFault['reach'] | 'nothing' {
  const reach = findReach(path) ?? 'command'
  if (node.kind === 'scalar' && node.text === '') return 'nothing'
  switch (reach) {
    case 'nothing':
      return 'nothing'
    case 'command':
      return toBoolean(node) === false ? 'nothing' : 'command'
    case 'file':
      return node.kind === 'scalar' && !leadsOut(node.text) ? 'nothing' : 'file'
    case 'engine':
      return findEngineReach(node)
    case 'secret':
      return node.kind === 'scalar' && node.text === TOKEN_VARIABLE && path.at(-1) === 'token_env'
        ? 'nothing'
        : 'secret'
    case 'upstream':
    case 'interception':
      return reach
  }
}

/** The value at a path; the whole list or map from `*` on. */
function valueAt(config: Fields, path: Path): unknown {
  let value: unknown = config
  for (const part of path) {
    if (part === '*') return value
    value = isFields(value) && Object.hasOwn(value, part) ? value[part] : undefined
  }
  return value
}
