import { expect, it } from 'vitest'
import { BUILTIN_NAMES } from './builtin-names.ts'
import { listBuiltinGroups, NAMED_BUILTINS } from './catalogue.ts'
import { BUILTINS } from './full-catalogue.ts'

it('lists every name of every built-in, each once, the neutral one first', () => {
  expect(BUILTIN_NAMES).toEqual(BUILTINS.builtins.flatMap(({ name, aliases }) => [name, ...aliases]))
  for (const name of BUILTIN_NAMES) expect(BUILTINS.find(name)).toBeDefined()
})

it('knows the groups of every name without the ways to find it', () => {
  const toNames = ({ name, group, groupAliases }: (typeof BUILTINS.builtins)[number]) => ({ name, group, groupAliases })
  const known = new Map(NAMED_BUILTINS.builtins.map((builtin) => [builtin.name, toNames(builtin)]))
  expect(BUILTINS.builtins.map(({ name }) => known.get(name))).toEqual(BUILTINS.builtins.map(toNames))
})

it('lists groups of built-ins and sets by any of their names', () => {
  expect(listBuiltinGroups(['github_pat', 'email', 'openai_api_key', 'codehost_token', 'nothing'])).toEqual([
    'CODEHOST_TOKEN',
    'EMAIL',
    'PROVIDER_A_KEY',
  ])
  expect(listBuiltinGroups(['all'])).toEqual(BUILTINS.builtins.map(({ group }) => group))
})
