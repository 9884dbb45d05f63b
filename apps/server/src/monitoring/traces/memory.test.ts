import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { toPerson } from '../../../test/support/people.ts'
import { systemClock } from '../../clock.ts'
import { createTraces } from './create-traces.ts'

const REQUESTS = 1_000_000
const MIB = 1024 * 1024
const { principal } = toPerson('ada')
const logger = { debug() {}, info() {}, warn() {}, error() {} }

/** Takes minutes: `SVC_LONG=1 npx vitest run apps/server/src/monitoring/traces/memory.test.ts`. */
describe.skipIf(process.env.SVC_LONG !== '1')('traces of a million requests', () => {
  it('take a bounded part of memory and disk', async () => {
    await using dir = await tempDir()
    const policy = { isOn: true, maxItems: 1024, maxBodyBytes: 65_536 }
    const traces = createTraces({ folder: dir.path, policy, toStatus: () => 500, clock: systemClock, logger })
    const body = Buffer.alloc(512, 0x61)
    let before = 0
    for (let count = 1; count <= REQUESTS; count += 1) {
      const trace = traces.requests.begin({
        requestId: `request-${count}`,
        route: { path: '/v1/chat/completions', method: 'POST' },
        principal,
        startedAt: systemClock.monotonic(),
      })
      trace?.enter('body')
      trace?.keepRequest(body)
      trace?.beginReply(200, 'application/json')
      trace?.keepReply(body)
      trace?.end(undefined)
      const call = traces.backends.begin({ type: 'llm', modelName: 'm', backend: 'mock', summary: 'one' })
      call?.end()
      if (count % 1000 === 0) await traces.flush()
      if (count === 50_000) before = process.memoryUsage().rss
    }
    const growth = process.memoryUsage().rss - before
    const { total } = await traces.requestLog.list({ offset: 0, limit: 1 })
    expect(total).toBe(1024)
    expect((await traces.summarize(1)).total).toBe(REQUESTS)
    console.info(`after ${REQUESTS} requests the process has grown by ${(growth / MIB).toFixed(0)} MiB`)
    expect(growth).toBeLessThan(150 * MIB)
    await traces.close()
  }, 1_800_000)
})
