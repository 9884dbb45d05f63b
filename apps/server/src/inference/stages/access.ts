import { SvcError } from '@svc/errors'
import type { Stage } from '../pipeline.ts'

/** What the resolved model allows the caller: disabled models serve nobody. Access lists and quotas join here. */
export const accessStage: Stage = async (exchange, next) => {
  if (exchange.model.disabled) {
    throw new SvcError('forbidden', `model "${exchange.model.name}" is disabled`, {
      code: 'model_disabled',
      details: { type: 'model_disabled' },
    })
  }
  await next()
}
