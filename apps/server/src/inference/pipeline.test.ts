import { describe, expect, it } from 'vitest'
import type { Exchange } from './exchange.ts'
import { createPipeline, STAGE_ORDER, type Stage, type StageName } from './pipeline.ts'

function recording(stages: Partial<Record<StageName, Stage>> = {}) {
  const order: string[] = []
  const seats = Object.fromEntries(
    STAGE_ORDER.map((name): [StageName, Stage] => [
      name,
      stages[name] ??
        (async (_exchange, next) => {
          order.push(name)
          await next()
          order.push(`/${name}`)
        }),
    ]),
  ) as Record<StageName, Stage>
  return { order, pipeline: createPipeline(seats) }
}

const exchange = {} as Exchange

describe('createPipeline', () => {
  // verifies request:order:stages
  it('runs every stage once, in the settled order, and unwinds in reverse', async () => {
    const { order, pipeline } = recording()
    await pipeline(exchange)
    const names = ['body', 'alias', 'ceiling', 'router', 'access', 'cap', 'pii', 'map', 'model', 'reply']
    expect(order).toEqual([...names, ...names.map((name) => `/${name}`).reverse()])
  })

  it('ends where a stage throws, and unwinds what had begun', async () => {
    const released: string[] = []
    const { order, pipeline } = recording({
      ceiling: async (_exchange, next) => {
        try {
          await next()
        } finally {
          released.push('slot')
        }
      },
      cap: () => Promise.reject(new Error('full')),
    })
    await expect(pipeline(exchange)).rejects.toThrow('full')
    expect(order).toEqual(['body', 'alias', 'router', 'access'])
    expect(released).toEqual(['slot'])
  })
})
