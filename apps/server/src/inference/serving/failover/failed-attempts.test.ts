import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { createMetrics } from '../../../monitoring/metrics.ts'
import type { UsageRecord } from '../../../monitoring/recorders.ts'
import { NO_USAGE, type Usage } from '../../core/events.ts'
import type { RequestContext } from '../../core/ports.ts'
import { createFailedAttempts } from './failed-attempts.ts'

it('records the figures of a failed target under its own name, and no record without figures', async () => {
  const clock = createFakeClock()
  const recorded: UsageRecord[] = []
  const usage = { record: (entry: UsageRecord) => void recorded.push(entry) }
  const metrics = createMetrics()
  const failed = createFailedAttempts({ usage, metrics })
  const target = { name: 'one' } as ModelConfig
  const context = { requestId: 'r', route: { path: '/v1/messages' }, principal: { id: 'ada' } } as RequestContext
  const settle = (figures: Usage): void =>
    failed.settle({ context, requestedModel: 'm', usage: figures, target, when: { durationMs: 20, at: clock.now() } })
  settle(NO_USAGE)
  expect(recorded).toEqual([])
  settle({ ...NO_USAGE, promptTokens: 7, completionTokens: 2 })
  expect(recorded).toEqual([
    {
      correlationId: 'r',
      endpoint: '/v1/messages',
      requestedModel: 'm',
      servedModel: 'one',
      principalId: 'ada',
      principal: { id: 'ada' },
      durationMs: 20,
      at: clock.now(),
      promptTokens: 7,
      completionTokens: 2,
      isEstimated: false,
      model: target,
      promptMs: 0,
      generationMs: 0,
    },
  ])
  const text = await (await metrics.registry()).metrics()
  expect(text).toContain('svc_tokens_total{kind="prompt"} 7')
  expect(text).toContain('svc_tokens_total{kind="completion"} 2')
})
