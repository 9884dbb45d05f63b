import type { JsonShape } from './json-calls.ts'
import { toMarker } from './marker.ts'
import { type IdForm, PLAIN_FORM, PLAIN_VALUES, type TagForm, type ValueForm, type Wrapper } from './tag-form.ts'
import type { ToolFormatMarkers } from './tool-format-markers.ts'

/** The JSON form of calls as a backend describes it: markers from outside to inside, and the keys of the object. */
export interface JsonForm {
  readonly wrappers: readonly Wrapper[]
  readonly shape: JsonShape
}

/** Reads the JSON form that a backend describes (`json_native`), if any. */
export function toJsonForm(markers: ToolFormatMarkers): JsonForm | undefined {
  if (markers.formatType !== 'json_native') return undefined
  const wrappers = [
    { start: toMarker(markers.sectionStart), end: toMarker(markers.sectionEnd) },
    { start: toMarker(markers.perCallStart), end: toMarker(markers.perCallEnd) },
  ]
  return {
    wrappers: wrappers.filter(({ start }) => !isJsonPunctuation(start)),
    shape: {
      nameKey: markers.nameField || 'name',
      argumentsKey: markers.argsField || 'arguments',
      idKey: markers.idField || markers.genIdField,
      functionKey: markers.functionField,
      nameIsKey: markers.funNameIsKey,
    },
  }
}

/**
 * Reads the tagged form that a backend describes (`tag_with_json`, `tag_with_tagged`), if there is one and its calls
 * can be found.
 */
export function toMarkerForm(markers: ToolFormatMarkers): TagForm | undefined {
  const isTagged = markers.formatType === 'tag_with_tagged'
  if (!isTagged && markers.formatType !== 'tag_with_json') return undefined
  const scope = { start: toMarker(markers.sectionStart), end: toMarker(markers.sectionEnd) }
  const call = { start: toMarker(markers.perCallStart), end: toMarker(markers.perCallEnd) }
  const prefix = toMarker(markers.funcNamePrefix)
  // Without a marker of its own the name follows the next marker around it.
  const toolStart = prefix || call.start || scope.start
  if (toolStart === '') return undefined
  const hasScope = scope.start !== '' && toolStart !== scope.start
  const close = toMarker(markers.funcClose)
  return {
    ...PLAIN_FORM,
    scope: hasScope ? scope : undefined,
    callStart: prefix === '' ? '' : call.start,
    toolStart,
    nameEnd: toMarker(markers.funcNameSuffix),
    id: toIdForm(markers),
    argumentsStart: toMarker(markers.argsStart),
    argumentsEnd: toMarker(markers.argsEnd),
    values: isTagged ? toValueForm(markers) : undefined,
    toolEnds: close === '' ? [] : [close],
    callEnd: call.end || (hasScope ? '' : scope.end),
  }
}

function toValueForm(markers: ToolFormatMarkers): ValueForm | undefined {
  const keyStart = toMarker(markers.argNamePrefix)
  const keyEnd = toMarker(markers.argNameSuffix)
  if (keyStart === '' || keyEnd === '') return undefined
  const valueEnd = toMarker(markers.argValueSuffix)
  return {
    ...PLAIN_VALUES,
    keyStart,
    keyEnd,
    valueStart: toMarker(markers.argValuePrefix),
    valueEnds: valueEnd === '' ? [] : [valueEnd],
    separator: toMarker(markers.argSeparator),
  }
}

const ID_PLACES: Readonly<Record<string, IdForm['place']>> = {
  pre_func_name: 'before-name',
  between_func_and_args: 'before-arguments',
  post_args: 'after-arguments',
}

function toIdForm(markers: ToolFormatMarkers): IdForm | undefined {
  const { callIdPosition } = markers
  const place = Object.hasOwn(ID_PLACES, callIdPosition) ? ID_PLACES[callIdPosition] : undefined
  const start = toMarker(markers.callIdPrefix)
  if (place === undefined || start === '') return undefined
  return { place, start, end: toMarker(markers.callIdSuffix) }
}

/** Such a marker is part of the JSON itself. */
function isJsonPunctuation(marker: string): boolean {
  return [...marker].every((letter) => '{}[],:"'.includes(letter))
}
