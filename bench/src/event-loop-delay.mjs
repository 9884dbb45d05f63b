// Loaded before a program (`--import`): measures how late its event loop runs, and tells and forgets it at a port of its
// own. The time between two looks is 1 ms, so figures are that much above what was lost.
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
