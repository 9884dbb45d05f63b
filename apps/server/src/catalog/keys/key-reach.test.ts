import { describe, expect, it } from 'vitest'
import { type Field, findFieldMeta } from './fields.ts'
import { findReach, KEY_REACH } from './key-reach.ts'
import { modelKeys } from './model-keys.ts'

/** Paths of all keys with a value, and of the blocks that hold them. */
function listPaths(field: Field, path: readonly string[]): { keys: string[]; blocks: string[] } {
  const { keys, item } = findFieldMeta(field) ?? {}
  const inner: [string, Field][] = keys !== undefined ? Object.entries(keys) : item !== undefined ? [['*', item]] : []
  if (inner.length === 0) return { keys: [path.join('.')], blocks: [] }
  const found = inner.map(([key, each]) => listPaths(each, [...path, key]))
  return {
    keys: found.flatMap(({ keys: names }) => names),
    blocks: [path.join('.'), ...found.flatMap(({ blocks }) => blocks)],
  }
}

const { keys, blocks } = listPaths(modelKeys, [])

describe('the table of what keys reach', () => {
  it('has a row for every key of model files', () => {
    expect(keys.filter((key) => findReach(key.split('.')) === undefined)).toEqual([])
  })

  it('has no row for a key that does not exist, and none that declares a whole block harmless', () => {
    const restricted = new Set([...keys, ...blocks])
    const harmless = new Set(keys)
    const wrong = [...KEY_REACH].filter(([key, reach]) => !(reach === 'nothing' ? harmless : restricted).has(key))
    expect(wrong).toEqual([])
  })

  it.each([
    ['proxy.api_key_env', 'secret'],
    ['proxy.request_timeout_seconds', 'upstream'],
    ['proxy.a_key_of_tomorrow', 'upstream'],
    ['mitm.hosts.*', 'interception'],
    ['mcp.stdio', 'command'],
    ['artifacts.*.source.token_env', 'secret'],
    ['artifacts.*.source.repo', 'nothing'],
    ['engine_args.worker_cls', 'engine'],
    ['a_key_of_tomorrow', undefined],
    ['parameters.a_key_of_tomorrow', undefined],
  ])('%s reaches %s', (key, reach) => {
    expect(findReach(key.split('.'))).toBe(reach)
  })
})
