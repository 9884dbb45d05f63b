import { listFirstUnits } from '../reasoning/literals.ts'
import type { TagForm } from './tag-form.ts'

/**
 * Whether a tagged value swallowed the end of its call and the start of the next: its own end marker is missing. Whole
 * calls in a value are part of it.
 */
export function holdsNextCall(value: string, form: TagForm): boolean {
  const starts = [form.scope?.start, form.callStart, form.toolStart].filter(isMarker)
  if (!starts.some((start) => value.includes(start))) return false
  const outerEnds = [...form.toolEnds, form.callEnd, form.scope?.end].filter(isMarker)
  const valueEnds = form.values?.valueEnds ?? []
  const triggers = listFirstUnits([...starts, ...outerEnds, ...valueEnds])
  let depth = 0
  let hasEnded = false
  for (let at = 0; at < value.length; at++) {
    if (!triggers.has(value.charCodeAt(at))) continue
    const beginsHere = (marker: string): boolean => value.startsWith(marker, at)
    if (starts.some(beginsHere)) {
      if (hasEnded) return true
      depth++
    } else if (outerEnds.some(beginsHere)) {
      if (depth === 0) hasEnded = true
      else depth--
    } else if (depth === 0 && valueEnds.some(beginsHere)) {
      hasEnded = true
    }
  }
  return false
}

function isMarker(marker: string | undefined): marker is string {
  return marker !== undefined && marker !== ''
}
