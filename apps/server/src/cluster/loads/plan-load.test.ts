import { expect, it, vi } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import { planLoad } from './plan-load.ts'

const { signal } = new AbortController()

it('refuses a model whose weights are only at another server before it takes a place', async () => {
  const parts = {
    toLoadRequest: vi.fn(() => ({})),
    checkFiles: async () => {},
    measureFiles: async () => 0,
    catalog: { candidates: () => [] },
  }
  const model = createModel({ weightsMissing: true, parameters: { model: 'm.gguf' } })
  await expect(planLoad(model, parts, signal)).rejects.toMatchObject({
    code: 'model_load_failed',
    message: 'could not load model "m": file "m.gguf" is not in the models folder',
  })
  expect(parts.toLoadRequest).not.toHaveBeenCalled()
  expect(await planLoad(createModel(), parts, signal)).toMatchObject({ backends: ['mock'] })
})
