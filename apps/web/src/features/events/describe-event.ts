import type { AuditEvent } from './api.ts'
import { isChangeKind } from './search.ts'

/** Tone of an event, shown by shape and colour. */
export type EventTone = 'neutral' | 'ok' | 'warn' | 'bad'

/** The word for the action, as a key of the texts, and its tone. */
export function readDeed(event: AuditEvent): { readonly word: string; readonly tone: EventTone } {
  switch (event.kind) {
    case 'pii':
      if (event.action === 'block') return { word: 'block', tone: 'bad' }
      if (event.action === 'mask') return { word: 'mask', tone: 'warn' }
      return { word: 'allow', tone: 'ok' }
    case 'proxy_connect':
      if (event.closed === true) return { word: 'closed', tone: 'bad' }
      return event.intercepted === true ? { word: 'intercepted', tone: 'ok' } : { word: 'tunnel', tone: 'neutral' }
    case 'proxy_traffic':
      switch (event.outcome) {
        case 'blocked':
          return { word: 'block', tone: 'bad' }
        case 'refused':
          return { word: 'refused', tone: 'warn' }
        case 'failed':
          return { word: 'failed', tone: 'bad' }
        case 'aborted':
          return { word: 'aborted', tone: 'neutral' }
        default:
          return { word: 'relayed', tone: 'ok' }
      }
    case 'admission':
      return { word: 'limited', tone: 'warn' }
    case 'administration':
    case 'account':
      return event.outcome === 'failed' ? { word: 'failed', tone: 'bad' } : { word: 'done', tone: 'ok' }
  }
}

/** The subject of the event: the pattern that matched, the host, the model that was full, or the name of the change. */
export function readSubject(event: AuditEvent): string {
  const { kind, pattern_id: pattern, host, model } = event
  if (kind === 'pii') return pattern ?? ''
  if (isChangeKind(kind)) return event.change ?? ''
  if (kind === 'admission') return typeof model === 'string' ? model : ''
  return host ?? event.server_name ?? ''
}
