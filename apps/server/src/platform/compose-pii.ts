import type { CustomPattern } from '@svc/pii'
import { createDetector, createTermMatchers, type Detector } from '@svc/pii/detectors'
import type { SecretReader } from '@svc/proxy'
import type { AuditSink } from '../audit/audit-event.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { Executor } from '../inference/engine/executor.ts'
import type { OwnPlaces } from '../key-files/own-places.ts'
import type { BackendTraceRecorder } from '../monitoring/recorders.ts'
import { findDetectorKind } from '../pii/detector-model.ts'
import { createDetectorRegistry, type DetectorRegistryOptions } from '../pii/detectors.ts'
import { createPiiMetrics, type PiiMetrics } from '../pii/metrics.ts'
import { createRequestFilter, type RequestFilter, type RequestFilterOptions } from '../pii/request-filter.ts'
import { createTextScanner, type TextScanner } from '../pii/scan-text.ts'
import { createScanThreads } from '../pii/scan-threads.ts'
import { createTermFiles } from '../pii/term-files.ts'
import { createTokenClassifier } from '../pii/token-classifier.ts'
import { createTokenReader } from '../pii/token-texts.ts'
import { traceDetector } from '../pii/trace-detector.ts'
import type { Placement } from '../placement/placement.ts'
import type { Clock, Logger } from '../ports.ts'

/** The PII filter of a server, for whole requests and for single texts. */
export interface PiiModule {
  readonly filter: RequestFilter
  readonly scanner: TextScanner
  close(): Promise<void>
}

/** Options of {@link composePii}. */
export interface PiiParts {
  readonly findModel: (name: string) => ModelConfig | undefined
  readonly defaults: () => readonly string[]
  readonly executor: Pick<Executor, 'perform'>
  readonly placement: Pick<Placement, 'load'>
  readonly modelsPath: string
  readonly places: Pick<OwnPlaces, 'holdsFile'>
  /** Reads the keys of hashes. */
  readonly secrets: Pick<SecretReader, 'variable'>
  readonly events: AuditSink
  readonly traces: BackendTraceRecorder
  readonly registry: Parameters<typeof createPiiMetrics>[0]
  readonly clock: Clock
  readonly logger: Logger
  /** Keeps tokens over the requests of a conversation. */
  readonly conversations: RequestFilterOptions['conversations']
  /** Gives the key of invented values, which all servers of a database share. */
  readonly fakeKey: () => Uint8Array
}

type FilePattern = NonNullable<NonNullable<ModelConfig['piiDetection']>['patterns']>[number]

/** Composes the filter. */
export function composePii(parts: PiiParts): PiiModule {
  const { findModel, defaults, events, clock, logger } = parts
  const metrics: PiiMetrics = createPiiMetrics(parts.registry)
  const threads = createScanThreads({ clock, logger })
  const offload = { scanner: threads }
  const shared = {
    termFiles: createTermFiles(parts.modelsPath, parts.places),
    termMatchers: createTermMatchers(),
    readSecret: (name: string) => parts.secrets.variable(name),
    offload,
    logger,
  }
  const toDetector = (model: ModelConfig): Detector => {
    const { name, piiDetection: { patterns = [], ...settings } = {} } = model
    // Patterns need no backend; any other detector model recognises entities and may also have patterns.
    const classifier = findDetectorKind(model) === 'ner' ? createTokenClassifier(model, parts.executor) : undefined
    const detector = createDetector({
      name,
      settings: { ...settings, patterns: patterns.map(named) },
      classifier,
      fakeKey: Buffer.from(parts.fakeKey()).toString('hex'),
      ...shared,
    })
    // The calls of a recogniser are traced by the executor.
    return classifier === undefined ? traceDetector(detector, parts.traces) : detector
  }
  const prepare: DetectorRegistryOptions['prepare'] = (model, options) =>
    findDetectorKind(model) === 'ner' ? parts.placement.load(model, options) : undefined
  const detectors = createDetectorRegistry({ findModel, toDetector, prepare, logger })
  return {
    filter: createRequestFilter({
      defaults,
      detectors,
      tokens: createTokenReader(parts.executor),
      events,
      metrics,
      clock,
      conversations: parts.conversations,
    }),
    scanner: createTextScanner({ findModel, defaults, detectors, events, metrics, clock }),
    close: () => threads.close(),
  }
}

/** Converts a pattern of a file; the detector refuses one without a name or an expression. */
function named({ name = '', match = '', action, minLen, fold }: FilePattern): CustomPattern {
  return { name, match, action, minLen, fold }
}
