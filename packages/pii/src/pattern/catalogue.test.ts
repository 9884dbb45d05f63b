import { expect, it } from 'vitest'
import { BUILTIN_NAMES } from './builtin-names.ts'
import { listBuiltinGroups } from './catalogue.ts'
import { BUILTINS } from './full-catalogue.ts'

it('lists every name of every built-in, each once, the neutral one first', () => {
  expect(BUILTIN_NAMES).toEqual(BUILTINS.builtins.flatMap(({ name, aliases }) => [name, ...aliases]))
  for (const name of BUILTIN_NAMES) expect(BUILTINS.find(name)).toBeDefined()
})

it('lists groups of built-ins and sets by any of their names', () => {
  expect(listBuiltinGroups(['github_pat', 'email', 'openai_api_key', 'codehost_token', 'nothing'])).toEqual([
    'CODEHOST_TOKEN',
    'EMAIL',
    'PROVIDER_A_KEY',
  ])
  expect(listBuiltinGroups(['all'])).toEqual(BUILTINS.builtins.map(({ group }) => group))
})
