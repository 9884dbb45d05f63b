import type { Detections, Detector } from '@svc/pii/detectors'
import type { BackendTraceRecorder } from '../monitoring/recorders.ts'

/** Wraps a detector of patterns, so that its scans are traced. */
export function traceDetector(detector: Detector, traces: BackendTraceRecorder): Detector {
  const { name } = detector
  return {
    name,
    detect(document, options) {
      const { length } = document.text
      if (!traces.isOn) return detector.detect(document, options)
      const { correlationId } = options
      const trace = traces.begin({
        type: 'pattern_pii',
        modelName: name,
        backend: 'pattern',
        summary: `${length} characters`,
        data: { characters: length },
        correlationId,
        span: traces.openSpan({ correlationId }),
      })
      if (trace === undefined) return detector.detect(document, options)
      const succeed = (found: Detections): Detections => {
        trace.note({ detections: found.length })
        trace.end()
        return found
      }
      const fail = (error: unknown): never => {
        trace.end(error)
        throw error
      }
      try {
        const found = detector.detect(document, options)
        return found instanceof Promise ? found.then(succeed, fail) : succeed(found)
      } catch (error) {
        return fail(error)
      }
    },
  }
}
