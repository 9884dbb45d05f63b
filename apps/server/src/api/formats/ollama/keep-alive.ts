import { SvcError } from '@svc/errors'
import type { OllamaKeepAlive } from '@svc/wire/ollama'
import { parseDuration } from '../../../config/quantities.ts'

/**
 * Converts a `keep_alive` to milliseconds; undefined for a negative one, which keeps the model loaded.
 *
 * @throws {SvcError} `invalid_request` for anything but a duration
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
