import type { XmlFormat } from '../settings.ts'
import { toMarker } from './marker.ts'
import { PLAIN_FORM, type TagForm, type ValueForm } from './tag-form.ts'

/** Reads the form that `function.xml_format` of a model file describes; undefined when it cannot begin a call. */
export function toCustomForm(format: XmlFormat): TagForm | undefined {
  const toolStart = toMarker(format.toolStart)
  if (toolStart === '') return undefined
  const scope = { start: toMarker(format.scopeStart), end: toMarker(format.scopeEnd) }
  const values = toValueForm(format)
  return {
    ...PLAIN_FORM,
    scope: scope.start === '' ? undefined : scope,
    isBare: scope.start === '',
    toolStart,
    nameEnd: toMarker(format.toolSep),
    values,
    takesJson: values === undefined || !values.keyStart.startsWith('{'),
    toolEnds: longestFirst([toMarker(format.toolEnd), toMarker(format.lastToolEnd)]),
  }
}

function toValueForm(format: XmlFormat): ValueForm | undefined {
  const keyStart = toMarker(format.keyStart)
  const keyEnd = toMarker(format.keyValSep)
  if (keyStart === '' || keyEnd === '') return undefined
  const valueEnd = toMarker(format.valEnd)
  const lastEnd = toMarker(format.lastValEnd)
  // The last value may end without a marker of its own: then values end where their JSON ends.
  const endsItself = valueEnd === '' || (format.lastValEnd !== undefined && lastEnd === '')
  return {
    keyStart,
    keyEnd,
    valueStart: toMarker(format.keyValSep2),
    valueEnds: endsItself ? [] : longestFirst([valueEnd, lastEnd]),
    separator: endsItself ? valueEnd : '',
    isRaw: format.rawArgval === true,
    isTrimmed: format.trimRawArgval === true,
  }
}

function longestFirst(markers: readonly string[]): readonly string[] {
  return [...new Set(markers)].filter((marker) => marker !== '').sort((a, b) => b.length - a.length)
}
