import { expect, it } from 'vitest'
import { BUILTIN_NAMES } from './builtin-names.ts'
import { BUILTINS, findBuiltin } from './catalogue.ts'

it('lists every name of every built-in, each once, the neutral one first', () => {
  expect(BUILTIN_NAMES).toEqual(BUILTINS.flatMap(({ name, aliases }) => [name, ...aliases]))
  for (const name of BUILTIN_NAMES) expect(findBuiltin(name)).toBeDefined()
})
