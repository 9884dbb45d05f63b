import { SvcError } from '@svc/errors'
import type { Detector } from '@svc/pii/detectors'
import { createDeferred } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { silentLogger } from '../backends/__fixtures__/silent-logger.ts'
import { createModel } from '../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { createDetectorRegistry } from './detectors.ts'

const signal = new AbortController().signal
const detecting: Detector = { name: 'ner', detect: async () => [] }
const document = { text: 'a', segments: [{ start: 0, end: 1 }], messages: [] }

const recogniser: Partial<ModelConfig> = { piiDetection: {}, knownUsecases: ['token_classify'] }

function createRegistry(model: ModelConfig | undefined, prepare: () => Promise<void>) {
  let made = 0
  const registry = createDetectorRegistry({
    findModel: () => model,
    toDetector: () => {
      made += 1
      return detecting
    },
    prepare,
    logger: silentLogger,
  })
  return { registry, made: () => made }
}

it('a detector is ready once its model is loaded, and is made once', async () => {
  const loaded = createDeferred<void>()
  const { registry, made } = createRegistry(createModel(recogniser), () => loaded.promise)
  let isFound = false
  const found = Promise.resolve(registry.find(['ner', 'ner'], { signal })).then((detectors) => {
    isFound = true
    return detectors
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isFound).toBe(false)
  loaded.resolve()
  expect(await found).toEqual([detecting, detecting])
  expect(made()).toBe(1)
})

it('one that cannot be loaded, found or created fails every scan', async () => {
  const broken = () => Promise.reject(new SvcError('internal', 'no', { code: 'model_load_failed' }))
  const models: [ModelConfig | undefined, () => Promise<void>][] = [
    [createModel(recogniser), broken],
    [createModel({ ...recogniser, disabled: true }), async () => undefined],
    [createModel({ piiDetection: {} }), async () => undefined],
    [createModel({ knownUsecases: ['token_classify'] }), async () => undefined],
    [undefined, async () => undefined],
  ]
  for (const [model, prepare] of models) {
    const [detector] = await createRegistry(model, prepare).registry.find(['ner'], { signal })
    await expect(detector?.detect(document, { signal })).rejects.toThrow(SvcError)
  }
})
