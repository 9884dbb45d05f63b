import { MAX_MARKER_LENGTH } from './limits.ts'

/**
 * A marker as it is looked for: without white space at its ends, as that is allowed around all of them anyway. Empty
 * when it is absent or too long.
 */
export function toMarker(marker: string | undefined): string {
  const trimmed = marker?.trim() ?? ''
  return trimmed.length > MAX_MARKER_LENGTH ? '' : trimmed
}
