import { MAX_MARKER_LENGTH } from './limits.ts'

/**
 * Normalises a marker: strips white space at its ends, which is allowed around all markers. Empty when it is absent or
 * too long.
 */
export function toMarker(marker: string | undefined): string {
  const trimmed = marker?.trim() ?? ''
  return trimmed.length > MAX_MARKER_LENGTH ? '' : trimmed
}
