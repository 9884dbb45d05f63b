import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import { createLoadCooldown } from '../../residency/cooldown.ts'
import { createFailedModels } from './failed-models.ts'

it('refuses a model that failed, longer after each failure, and not once it was changed', async () => {
  const clock = createFakeClock()
  let revision = 'r1'
  const models = createFailedModels(createLoadCooldown({ firstMs: 1000, clock }), () => revision)
  const model = createModel()
  const refusal = (): unknown => {
    try {
      models.check(model)
      return undefined
    } catch (error) {
      return error
    }
  }
  expect(refusal()).toBeUndefined()
  models.failed(model)
  expect(refusal()).toMatchObject({ code: 'model_load_cooldown', retryAfterMs: 1000 })
  await clock.advance(1000)
  expect(refusal()).toBeUndefined()
  models.failed(model)
  expect(refusal()).toMatchObject({ retryAfterMs: 2000 })
  revision = 'r2'
  expect(refusal()).toBeUndefined()
  models.failed(model)
  expect(refusal()).toMatchObject({ retryAfterMs: 1000 })
  models.succeeded(model)
  expect(refusal()).toBeUndefined()
})
