import { randomUUID } from 'node:crypto'
import type { Principal } from '@svc/auth'
import { checkModelAccess } from '@svc/auth/access'
import { SvcError } from '@svc/errors'
import { type Entity, type OffsetEncoding, redactText } from '@svc/pii'
import { piiBlocked } from '@svc/pii/errors'
import type { AuditSink } from '../audit/audit-event.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { Clock } from '../ports.ts'
import { findConsumerPolicy } from './consumer-policy.ts'
import { findDetectorKind } from './detector-model.ts'
import type { DetectorRegistry } from './detectors.ts'
import { createFoundEntries, type Occasion, toHashPrefix } from './entries.ts'
import { failClosed } from './fail-closed.ts'
import type { PiiMetrics } from './metrics.ts'

/** A text to scan (§4.8). */
export interface TextScanRequest {
  readonly text: string
  /** Names of detector models; they take precedence over `model` and ignore policies. */
  readonly detectors?: readonly string[] | undefined
  /** The model whose policy applies. */
  readonly model?: string | undefined
  readonly offsetEncoding: OffsetEncoding
  readonly origin: 'pii_analyze' | 'pii_redact'
  /** The caller, who must have the right to use every model that is named. */
  readonly principal: Principal
  readonly signal: AbortSignal
}

/** A finding with the prefix of its hash. */
export interface HashedEntity extends Entity {
  readonly hashPrefix: string
}

/** Result of a scan. */
export type TextScan = Outcome & { readonly entities: readonly HashedEntity[]; readonly correlationId: string }

type Outcome =
  | { readonly blocked: true }
  | { readonly blocked: false; readonly masked: boolean; readonly redactedText: string }

/** Scans single texts. */
export interface TextScanner {
  /**
   * Scans a text, applies the policy and records the findings.
   *
   * @throws {SvcError} `invalid_request` when no detector is named or one is unknown, `forbidden` when the caller may not
   *   use one, `pii_ner_unavailable` when one fails
   */
  scan(request: TextScanRequest): Promise<TextScan>
}

/** Options of {@link createTextScanner}. */
export interface TextScannerOptions {
  readonly findModel: (name: string) => ModelConfig | undefined
  readonly defaults: () => readonly string[]
  readonly detectors: DetectorRegistry
  readonly events: AuditSink
  readonly metrics: PiiMetrics
  readonly clock: Clock
}

/** All of them run on the text at the same time. */
const MAX_DETECTORS = 32

/** Creates the scanner. */
export function createTextScanner(options: TextScannerOptions): TextScanner {
  const { findModel, defaults, detectors, events, metrics, clock } = options

  function listDetectorNames({ detectors = [], model: name, principal }: TextScanRequest): readonly string[] {
    const named = [...new Set(detectors)]
    if (named.length > MAX_DETECTORS) throw badRequest(`more than ${MAX_DETECTORS} PII detectors`)
    for (const detector of named) {
      const model = findModel(detector)
      if (model === undefined || findDetectorKind(model) === undefined)
        throw badRequest(`unknown PII detector: ${JSON.stringify(detector)}`)
      checkModelAccess(principal, model.name, [detector])
    }
    if (named.length > 0) return named
    const model = name === undefined || name === '' ? undefined : findModel(name)
    if (model === undefined && name !== undefined && name !== '')
      throw badRequest(`unknown model: ${JSON.stringify(name)}`)
    if (model !== undefined) checkModelAccess(principal, model.name, [name ?? ''])
    const policy = model === undefined ? undefined : findConsumerPolicy(model, defaults())
    if (policy === undefined || !policy.enabled || policy.detectors.length === 0) {
      throw badRequest('no PII detectors specified')
    }
    return policy.detectors
  }

  return {
    async scan(request) {
      const { text, origin, principal, offsetEncoding, signal } = request
      const names = listDetectorNames(request)
      const occasion: Occasion = { origin, userId: principal.id, correlationId: randomUUID() }
      const found = await detectors.find(names, request)
      try {
        const redaction = await redactText(text, {
          detectors: found,
          offsetEncoding,
          clock,
          signal,
          correlationId: occasion.correlationId,
        })
        const { scanned, spans, entities } = redaction
        const entries = createFoundEntries(occasion, { segments: [{ scanned, spans }] }, () => 'text')
        metrics.countEvents(entries)
        events.record(entries)
        const hashed = entities.map((entity, index) => {
          const { start = 0, end = 0 } = spans[index] ?? {}
          return { ...entity, hashPrefix: toHashPrefix(scanned.slice(start, end)) }
        })
        return { ...redaction, entities: hashed, correlationId: occasion.correlationId }
      } catch (error) {
        throw await failClosed(error, occasion, { events, metrics })
      }
    },
  }
}

/** Creates the refusal of a blocked text, which may not even be returned redacted. */
export function blockedText(correlationId: string, entities: readonly object[]): SvcError {
  return piiBlocked({ correlation_id: correlationId, entities }, 'text')
}

function badRequest(message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'no_detector', details: { type: 'invalid_request' } })
}
