import { describe, expect, it } from 'vitest'
import { chooseFields, findProblem } from './choose-fields.ts'
import type { ConfigField } from './field-catalogue.ts'
import type { Problem } from './problem.ts'

const makeField = (path: string, section: string, more: Partial<ConfigField> = {}): ConfigField => ({
  path,
  section,
  label: path,
  description: '',
  component: 'input',
  options: [],
  provider: undefined,
  isAdvanced: false,
  isWhole: false,
  min: undefined,
  max: undefined,
  ...more,
})

const FIELDS = [
  makeField('name', 'general', { description: 'How clients call it' }),
  makeField('description', 'general'),
  makeField('debug', 'general', { isAdvanced: true }),
  makeField('pii.enabled', 'filter', { label: 'Filter' }),
  makeField('pii.limit', 'filter', { isAdvanced: true }),
]

describe('chooseFields', () => {
  const usual = { term: '', section: 'general', showsAll: false, isSet: () => false }

  it.each([
    ['the usual keys of a section', {}, ['name', 'description']],
    ['advanced keys on request', { showsAll: true }, ['name', 'description', 'debug']],
    ['advanced keys that the file sets', { isSet: () => true }, ['name', 'description', 'debug']],
    ['nothing of an unknown section', { section: 'none' }, []],
    ['nothing without a section', { section: undefined }, []],
    ['what a search finds in every section', { term: 'enabled' }, ['pii.enabled']],
    ['advanced keys that a search finds', { term: 'pii' }, ['pii.enabled', 'pii.limit']],
    ['keys by their label, in any case', { term: 'FILTER' }, ['pii.enabled']],
    ['keys by their description', { term: 'clients call' }, ['name']],
    ['nothing for a search without a match', { term: 'nowhere' }, []],
    ['the section for a search of spaces', { term: '  ' }, ['name', 'description']],
  ])('shows %s', (_, choice, paths) => {
    expect(chooseFields(FIELDS, { ...usual, ...choice }).map(({ path }) => path)).toEqual(paths)
  })
})

it.each([
  ['of the key itself', 'router', 'router'],
  ['below the key', 'router.candidates.0.labels', 'router'],
  ['of a key with the same beginning', 'router2', undefined],
  ['above the key', '', undefined],
  ['beside the key', 'pii', undefined],
])('finds a problem %s', (_, path, found) => {
  const problem: Problem = { layer: 'rule', severity: 'error', code: 'x', path, from: 0, to: 0, line: 1 }
  expect(findProblem([problem], 'router')?.path).toBe(found === undefined ? undefined : path)
})
