import { configError } from './config-error.ts'
import { MAX_LISTED } from './deny-list.ts'
import type { Detections, Detector } from './detector.ts'

/**
 * Drops the findings of a detector whose whole text is a listed value, in any case and with any white space.
 *
 * @throws SvcError `pii_config`, kind `invalid_request`, for an empty value or too many
 */
export function withAllowList(detector: Detector, values: readonly string[]): Detector {
  if (values.length === 0) return detector
  const fault = findAllowListFault(values)
  if (fault !== undefined) throw configError(`allow_list ${fault}`)
  const allowed = new Set(values.map(toKey))
  const longest = Math.max(...[...allowed].map(({ length }) => length))
  const isAllowed = (text: string): boolean => {
    // White space and marks of a value may differ from the list's; a finding that is much longer is another value.
    return text.length <= longest * 2 && allowed.has(toKey(text))
  }
  return {
    name: detector.name,
    detect(document, options) {
      const drop = (found: Detections): Detections =>
        found.filter(({ start, end }) => !isAllowed(document.text.slice(start, end)))
      const found = detector.detect(document, options)
      return 'then' in found ? found.then(drop) : drop(found)
    },
  }
}

/** Checks a list of allowed values. @returns the reason why it cannot be used, undefined for a good one */
export function findAllowListFault(values: readonly string[]): string | undefined {
  if (values.length > MAX_LISTED) return `holds more than ${MAX_LISTED} values`
  const empty = values.findIndex((value) => typeof value !== 'string' || value.trim() === '')
  return empty === -1 ? undefined : `holds an empty value, number ${empty + 1}`
}

function toKey(value: string): string {
  return value.trim().replaceAll(/\s+/gu, ' ').toLowerCase()
}
