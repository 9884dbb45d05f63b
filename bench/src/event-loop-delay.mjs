// Loaded before a program (`--import`): measures the delay of its event loop, and reports and resets it at a port of
// its own. The timer has a period of 1 ms, so figures are that much above the real delay.
import { createServer } from 'node:http'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let since = performance.eventLoopUtilization()
  createServer((_request, reply) => {
    const { active } = performance.eventLoopUtilization(since)
    reply.end(JSON.stringify({ maxMs: delay.max / 1e6, p99Ms: delay.percentile(99) / 1e6, activeMs: active }))
    delay.reset()
    since = performance.eventLoopUtilization()
  })
    .listen(Number(process.env.EVENT_LOOP_PORT), '127.0.0.1')
    .unref()
}
