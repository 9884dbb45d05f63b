import { expect, it } from 'vitest'
import { listSectionFields, MEMORY_KEYS, PROVIDERS } from './config-metadata.ts'

it('names only keys that model files have', () => {
  const paths = new Set(listSectionFields('all').map(({ path }) => path))
  expect([...MEMORY_KEYS, ...PROVIDERS.keys()].filter((path) => !paths.has(path))).toEqual([])
})
