import type { JsonNode } from '@svc/json'
import { lines } from '../config/setting-kind.ts'
import { type FileProblem, findLine } from '../files/read-json-file.ts'
import { isSafeName } from '../files/safe-path.ts'
import type { Parsed } from './live-file.ts'
import { findSetting } from './schema.ts'
import { isMask } from './secret-mask.ts'

/** Name of the file of keys in the configuration folder. */
export const KEYS_FILE = 'api_keys.json'
/** Name of the file of backends in the configuration folder. */
export const BACKENDS_FILE = 'external_backends.json'

const MAX_BACKENDS = 1000

/** Reads a list of keys. A file of another form is unsafe to go without. */
export function parseKeys(root: JsonNode): Parsed<readonly string[]> {
  const keys = lines.safeParse(root.toValue()).data
  if (keys !== undefined && !keys.some(isMask)) return { value: keys, problems: [], isUnsafe: false }
  const message = keys === undefined ? `it is not ${findSetting('api_keys').form}` : 'it holds a mask in place of a key'
  return { value: [], problems: [{ file: KEYS_FILE, message }], isUnsafe: true }
}

/** Reads names of backends with the URI of each. A wrong entry is a problem of its line. */
export function parseBackends(root: JsonNode): Parsed<ReadonlyMap<string, string>> {
  const backends = new Map<string, string>()
  const problems: FileProblem[] = []
  const problem = (message: string, node?: JsonNode): void => {
    problems.push({ file: BACKENDS_FILE, line: node === undefined ? undefined : findLine(node), message })
  }
  if (root.kind !== 'object') problem('it is not an object of names and URIs')
  if (root.kind === 'object' && root.length > MAX_BACKENDS) problem(`it has more than ${MAX_BACKENDS} entries`)
  if (problems.length > 0) return { value: backends, problems, isUnsafe: false }
  for (const { key, value } of root.entries()) {
    const uri = value.kind === 'string' ? value.text().trim() : ''
    if (!isSafeName(key.text())) problem('a name is not one for a backend', key)
    else if (uri === '') problem('a URI is not a text', value)
    else backends.set(key.text(), uri)
  }
  return { value: backends, problems, isUnsafe: false }
}
