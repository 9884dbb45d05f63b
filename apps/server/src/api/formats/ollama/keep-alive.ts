import { SvcError } from '@svc/errors'
import type { OllamaKeepAlive } from '@svc/wire/ollama'
import { parseDuration } from '../../../config/quantities.ts'
import type { Exchange } from '../../../inference/exchange.ts'
import type { Pipeline } from '../../../inference/pipeline.ts'
import type { KeepAlive } from '../../../residency/keep-alive.ts'

/** What a request says about the time after it. */
export interface KeepAliveFields {
  /** How long its model stays, milliseconds; undefined: as the server's settings say. */
  readonly keepAliveMs: number | undefined
}

/**
 * Milliseconds of a `keep_alive`; what is less than 0 lets the model stay.
 *
 * @throws {SvcError} `invalid_request` for what is no duration
 */
export function toKeepAliveMs(value: OllamaKeepAlive | null | undefined): number | undefined {
  if (value == null) return undefined
  if (typeof value === 'number' || value.trim() !== '') {
    const seconds = Number(value)
    if (Number.isFinite(seconds)) return seconds < 0 ? undefined : seconds * 1000
  }
  const text = String(value)
  const milliseconds = parseDuration(text.replace(/^-/, ''))
  if (milliseconds === undefined) {
    throw new SvcError('invalid_request', 'keep_alive: must be seconds or a duration such as "5m"', {
      code: 'invalid_keep_alive',
      details: { param: 'keep_alive' },
    })
  }
  return text.startsWith('-') ? undefined : milliseconds
}

/** A pipeline after which a model stays as long as the request said. */
export function keepingAlive(pipeline: Pipeline, keepAlive: Pick<KeepAlive, 'set'>): Pipeline {
  return async (exchange) => {
    await pipeline(exchange)
    keepAlive.set(exchange.model.name, keepAliveOf(exchange))
  }
}

function keepAliveOf({ request }: Exchange): number | undefined {
  const said: Partial<Record<keyof KeepAliveFields, unknown>> = 'keepAliveMs' in request ? request : {}
  return typeof said.keepAliveMs === 'number' ? said.keepAliveMs : undefined
}
