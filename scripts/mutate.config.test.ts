import { expect, it } from 'vitest'
import mutated from './mutate.config.ts'

it('transforms each module again, so that a planted fault reaches the tests', () => {
  const { experimental, projects = [] } = mutated.test ?? {}
  expect(experimental?.fsModuleCache).toBe(false)
  for (const project of projects) expect(project).not.toHaveProperty('test.experimental')
})
