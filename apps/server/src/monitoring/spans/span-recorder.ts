import type { SpanRecorder } from '../recorders.ts'
import { toCallSpan, toRequestSpans } from './request-spans.ts'
import type { Sampler } from './sampler.ts'
import type { SpanQueue } from './span-queue.ts'
import { newTraceId, SpanScope } from './span-scope.ts'
import { parseTraceparent } from './traceparent.ts'

/** Creates a maker of spans, which hands them to a queue. */
export function createSpanRecorder(sampler: Sampler, queue: Pick<SpanQueue, 'add'>): SpanRecorder {
  return {
    begin(traceparent) {
      const parent = parseTraceparent(traceparent)
      const traceId = parent?.traceId ?? newTraceId()
      return new SpanScope(traceId, { isSampled: sampler(traceId, parent), parent, isParentRemote: true })
    },
    recordRequest(request) {
      for (const span of toRequestSpans(request)) queue.add(span)
    },
    recordCall: (call) => queue.add(toCallSpan(call)),
  }
}
